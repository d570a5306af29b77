import { openHistory } from "../../runtime/task-history/task-history.ts";
import { recordFrom } from "../arguments.ts";
import { formatCommandLine } from "../command-line.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface ForkFlags {
  readonly at?: number;
  readonly id?: string;
  readonly format: "text" | "json";
  readonly dataDir: string;
}

export const define: Define = (command, { print }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .option(
      "--at <seq>",
      "last record to copy (default: the last)",
      recordFrom(1, "signalbox show ID --seq shows the numbers"),
    )
    .option("--id <id>", "id of the new task (default: a new UUID)")
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (id: string, flags: ForkFlags) => print(await fork(id, flags)));
};

/** Create a task from the first records of another. */
function fork(given: string, { at, id: newId, format, dataDir }: ForkFlags): Promise<string> {
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
