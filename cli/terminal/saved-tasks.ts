import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { CliError } from "../error.ts";
import type { SlashContext } from "./slash-context.ts";

/** The tasks on disk. @throws CliError in an ephemeral run */
export function savedTasks({ history }: SlashContext): TaskHistory {
  if (history !== undefined) return history;
  throw new CliError("This run keeps nothing on disk (--ephemeral). Start one without it.");
}

/** @throws CliError before the first prompt */
export function assertStarted({ root }: SlashContext): void {
  if (root.log.length === 0) throw new CliError("The task has not started. Type a prompt first.");
}
