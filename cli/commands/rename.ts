import { openHistory } from "../../runtime/index.ts";
import { printable } from "../show/index.ts";
import { inWords } from "./history-error.ts";

export interface RenameFlags {
  readonly dataDir: string;
}

/** Gives a task a name; an empty one gives it back its prompt. */
export function rename(given: string, name: string, { dataDir }: RenameFlags): Promise<string> {
  return inWords(async () => {
    const history = openHistory({ dataDir });
    const id = await history.find(given);
    await history.rename(id, name);
    return name.trim() === ""
      ? `Task ${id} has no name any more: its prompt stands for it.\n`
      : `Task ${id} is now called ${printable(name.trim())}.\n`;
  });
}
