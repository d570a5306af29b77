import { recordFrom } from "../arguments.ts";
import type { Io } from "../io.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { addTaskStoreOptions, type TaskStoreFlags, withTaskStore } from "../task-store.ts";
import type { Define } from "./command.ts";

interface ForkFlags extends TaskStoreFlags {
  readonly at?: number;
  readonly id?: string;
  readonly format: "text" | "json";
  readonly dataDir: string;
}

export const define: Define = (command, { io, print }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .option(
      "--at <seq>",
      "last record to copy (default: the last)",
      recordFrom(1, "signalbox show ID --seq shows the numbers"),
    )
    .option("--id <id>", "id of the new task (default: a new UUID)")
    .option(...DATA_DIR)
    .addOption(textOrJson());
  addTaskStoreOptions(command).action(async (id: string, flags: ForkFlags) =>
    print(await fork(id, flags, io)),
  );
};

/** Create a task from the first records of another. */
function fork(given: string, flags: ForkFlags, io: Io): Promise<string> {
  const { at, id: newId, format } = flags;
  return withTaskStore(flags, io, async ({ history, resumeLine }) => {
    const { id, forkedFrom } = await history.fork(await history.find(given), {
      ...(at !== undefined && { at }),
      ...(newId !== undefined && { newId }),
    });
    if (format === "json") return `${JSON.stringify({ type: "forked", taskId: id, forkedFrom })}\n`;
    return [
      `Forked ${forkedFrom.taskId} at ${forkedFrom.seq} as ${id}.`,
      `To resume: ${resumeLine(id)}`,
      "",
    ].join("\n");
  });
}
