import { openHistory } from "../../runtime/index.ts";
import { formatCommandLine } from "../run/index.ts";
import { withCliErrors } from "../store-error.ts";

export interface ForkFlags {
  readonly at?: number;
  readonly id?: string;
  readonly format: "text" | "json";
  readonly dataDir: string;
}

/** Create a task from the first records of another. */
export function fork(given: string, { at, id: newId, format, dataDir }: ForkFlags): Promise<string> {
  return withCliErrors(async () => {
    const history = openHistory({ dataDir });
    const { id, forkedFrom } = await history.fork(await history.find(given), {
      ...(at !== undefined && { at }),
      ...(newId !== undefined && { newId }),
    });
    if (format === "json") return `${JSON.stringify({ type: "forked", taskId: id, forkedFrom })}\n`;
    return [
      `Forked ${forkedFrom.taskId} at ${forkedFrom.seq} as ${id}.`,
      `To resume: ${formatCommandLine(["run", "--session-id", id], dataDir)}`,
      "",
    ].join("\n");
  });
}
