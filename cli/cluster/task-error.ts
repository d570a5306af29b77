import { systemCode } from "../../store/files/system-code.ts";
import { errorMessage, formatCliError } from "../error.ts";

/** Format an error that a worker reports about a task. A refused command is the mistake of its sender: the task goes on. */
export function formatTaskError(taskId: string, error: unknown): string {
  const message = errorMessage(error);
  return systemCode(error) === "COMMAND_REFUSED"
    ? `Task ${taskId} refused a command: ${message}\n`
    : formatCliError(`task ${taskId} failed: ${message}`);
}
