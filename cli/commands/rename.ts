import { printable } from "../../client/printable/printable.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { DATA_DIR } from "../options.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface RenameFlags {
  readonly dataDir: string;
}

export const define: Define = (command, { print }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .argument("<name>", 'new name; "" restores the prompt as the title')
    .option(...DATA_DIR)
    .action(async (id: string, name: string, flags: RenameFlags) => print(await rename(id, name, flags)));
};

/** Rename a task; an empty name restores its prompt as the title. */
function rename(given: string, name: string, { dataDir }: RenameFlags): Promise<string> {
  return withCliErrors(async () => {
    const history = openHistory({ dataDir });
    const id = await history.find(given);
    await history.rename(id, name);
    return name.trim() === ""
      ? `Removed the name of task ${id}. Its title is its prompt again.\n`
      : `Renamed task ${id} to ${printable(name.trim())}.\n`;
  });
}
