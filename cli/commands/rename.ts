import { openHistory } from "../../runtime/index.ts";
import { printable } from "../show/index.ts";
import { withCliErrors } from "../store-error.ts";

export interface RenameFlags {
  readonly dataDir: string;
}

/** Rename a task; an empty name restores its prompt as the title. */
export function rename(given: string, name: string, { dataDir }: RenameFlags): Promise<string> {
  return withCliErrors(async () => {
    const history = openHistory({ dataDir });
    const id = await history.find(given);
    await history.rename(id, name);
    return name.trim() === ""
      ? `Removed the name of task ${id}. Its title is its prompt again.\n`
      : `Renamed task ${id} to ${printable(name.trim())}.\n`;
  });
}
