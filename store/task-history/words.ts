import type { TaskSummary } from "./summary.ts";

/** Characters of a word that are compared. */
const WORD_CHARS_MAX = 64;
/** Words of a task, and their bytes in UTF-8. */
const TASK_WORDS_MAX = 128;
const TASK_BYTES_MAX = 1_200;
/** Words of a searched text. */
const WORDS_MAX = 16;

/** The words of a text, in lower case: its letters and digits. */
const wordsIn = (text: string): readonly string[] =>
  (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).map((word) => [...word].slice(0, WORD_CHARS_MAX).join(""));

/** The words by which a list finds a task: of its title, id, workspace and mode, as many as an index can have. */
export function wordsOf({ title, id, workspace = "", mode = "" }: TaskSummary): readonly string[] {
  const words: string[] = [];
  let bytes = 0;
  for (const word of new Set([title, id, mode, workspace].flatMap(wordsIn))) {
    bytes += Buffer.byteLength(word);
    if (words.length === TASK_WORDS_MAX || bytes > TASK_BYTES_MAX) break;
    words.push(word);
  }
  return words;
}

/** The words that a searched text has, at most 16. A task is found if each of them begins one of its words. */
export const searchedWords = (text: string): readonly string[] =>
  [...new Set(wordsIn(text))].slice(0, WORDS_MAX);

/** Whether a list finds a task by these words. */
export function hasWords(summary: TaskSummary, searched: readonly string[]): boolean {
  if (searched.length === 0) return true;
  const words = wordsOf(summary);
  return searched.every((given) => words.some((word) => word.startsWith(given)));
}
