import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { PRIVATE_FILE, syncFolders, systemCode } from "../files/index.ts";
import { TaskHistoryError, toHistoryError } from "./error.ts";
import { hasJournal, unknownTask } from "./lookup.ts";
import { TITLE, taskFolder } from "./task-folder.ts";

/** The most characters of a task's name. */
export const NAME_CHARS_MAX = 200;
/** The most characters of the prompt that stand for a name. */
export const TITLE_CHARS_MAX = 100;

/**
 * Gives a task a name, or with an empty one takes it away again: then its prompt stands for it. The name lies in a
 * file beside the journal, so that a task that runs can be named too.
 *
 * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `NAME_INVALID`, `HISTORY_IO`
 */
export async function renameTask(dataDir: string, id: string, name: string): Promise<void> {
  const folder = taskFolder(dataDir, id);
  const trimmed = expectName(name);
  if (!(await hasJournal(folder))) throw unknownTask(dataDir, id);
  const place = path.join(folder, TITLE);
  try {
    if (trimmed === "") await rm(place, { force: true });
    else await writeWhole(place, `${trimmed}\n`);
    await syncFolders(folder);
  } catch (error) {
    throw toHistoryError(place, error);
  }
}

/** The name that a task was given, if it was. @throws TaskHistoryError `HISTORY_IO` */
export async function readName(folder: string): Promise<string | undefined> {
  const place = path.join(folder, TITLE);
  try {
    const name = titleOf(await readFile(place, "utf8"), NAME_CHARS_MAX);
    return name === "" ? undefined : name;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw toHistoryError(place, error);
  }
}

/** The first line of a text that says something, at most so many characters. */
export function titleOf(text: string, charsMax = TITLE_CHARS_MAX): string {
  const [line = ""] = text.trimStart().split(/[\r\n]/, 1);
  const words = line.replace(/\s+/g, " ").trim();
  if (words.length <= charsMax) return words;
  // Not half of a character that has two.
  const cut = words.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, "");
  return `${cut.trimEnd()}…`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a name is one line that a terminal can show
const UNSEEN = /[\x00-\x1f\x7f-\x9f]/;

function expectName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length <= NAME_CHARS_MAX && !UNSEEN.test(trimmed)) return trimmed;
  throw new TaskHistoryError(
    "NAME_INVALID",
    `The name ${JSON.stringify(trimmed.slice(0, 40))} can't be used: expected one line of at most ${NAME_CHARS_MAX} characters. Choose a shorter one.`,
  );
}

/** Whoever reads it finds the old text or the new one, whole. */
async function writeWhole(place: string, text: string): Promise<void> {
  const draft = `${place}.${randomUUID()}`;
  try {
    const handle = await open(draft, "wx", PRIVATE_FILE);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, place);
  } finally {
    await rm(draft, { force: true });
  }
}
