import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";
import { systemCode } from "../files/system-code.ts";
import { type JournalError, lockedError } from "./error.ts";

/** Name of the mark of a task that was moved, in its folder. It has the new place. */
const MOVED = "moved";

/** The place to which the task of a folder was moved; undefined if it was not. */
export async function movedTo(dir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dir, MOVED), "utf8")).trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Mark the task of a folder as moved: its journal stays, and is not opened here any more. */
export const markMoved = (dir: string, place: string): Promise<void> =>
  replaceFile(join(dir, MOVED), `${place}\n`);

/** Remove the mark, once the task is in this folder again. */
export const unmarkMoved = (dir: string): Promise<void> => rm(join(dir, MOVED), { force: true });

/** @throws JournalError `JOURNAL_LOCKED` if the task of this journal was moved */
export async function assertNotMoved(journal: string): Promise<void> {
  const place = await movedTo(dirname(journal));
  if (place !== undefined) throw movedError(journal, place);
}

export const movedError = (path: string, place: string): JournalError =>
  lockedError(path, `It was moved to ${place}. Open the task there.`);
