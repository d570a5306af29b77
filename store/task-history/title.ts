import { TaskHistoryError } from "./error.ts";
import type { HistoryStore } from "./history-store.ts";
import { unknownTask } from "./lookup.ts";

/** Maximum length of a task's name, in characters. */
export const NAME_CHARS_MAX = 200;
/** Maximum length of a title from the prompt, in characters. */
export const TITLE_CHARS_MAX = 100;

/**
 * Rename a task; with an empty name, its title is its prompt again. The name is stored beside the journal, so that a
 * running task can be renamed too.
 *
 * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `NAME_INVALID`, `HISTORY_IO`
 */
export async function renameTask(store: HistoryStore, id: string, name: string): Promise<void> {
  const exists = (await store.bytes(id)) !== undefined;
  const trimmed = expectName(name);
  if (!exists) throw unknownTask(store, id);
  await store.rename(id, trimmed === "" ? undefined : trimmed);
}

/** The first line of a text that is not blank, at most `charsMax` characters. */
export function titleOf(text: string, charsMax = TITLE_CHARS_MAX): string {
  const [line = ""] = text.trimStart().split(/[\r\n]/, 1);
  const title = line.replace(/\s+/g, " ").trim();
  if (title.length <= charsMax) return title;
  // Do not split a surrogate pair.
  const cut = title.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, "");
  return `${cut.trimEnd()}…`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a name is one line that a terminal can show
const CONTROL_CHARS = /[\x00-\x1f\x7f-\x9f]/;

function expectName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length <= NAME_CHARS_MAX && !CONTROL_CHARS.test(trimmed)) return trimmed;
  throw new TaskHistoryError(
    "NAME_INVALID",
    `Expected a name of one line and at most ${NAME_CHARS_MAX} characters, got ${JSON.stringify(trimmed.slice(0, 40))}. Choose another name.`,
  );
}
