import { printable } from "../../client/printable/printable.ts";
import type { Io } from "../io.ts";
import { DATA_DIR } from "../options.ts";
import { addTaskStoreOptions, type TaskStoreFlags, withTaskStore } from "../task-store.ts";
import type { Define } from "./command.ts";

interface RenameFlags extends TaskStoreFlags {
  readonly dataDir: string;
}

export const define: Define = (command, { io, print }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .argument("<name>", 'new name; "" restores the prompt as the title')
    .option(...DATA_DIR);
  addTaskStoreOptions(command).action(async (id: string, name: string, flags: RenameFlags) =>
    print(await rename(id, name, flags, io)),
  );
};

/** Rename a task; an empty name restores its prompt as the title. */
function rename(given: string, name: string, flags: RenameFlags, io: Io): Promise<string> {
  return withTaskStore(flags, io, async ({ history }) => {
    const id = await history.find(given);
    await history.rename(id, name);
    return name.trim() === ""
      ? `Removed the name of task ${id}. Its title is its prompt again.\n`
      : `Renamed task ${id} to ${printable(name.trim())}.\n`;
  });
}
