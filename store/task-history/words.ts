import type { TaskSummary } from "./summary.ts";

/** Characters of a word that are compared. */
const WORD_CHARS_MAX = 64;
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

/** The words by which a list finds a task: of its title, id, workspace and mode. */
export const wordsOf = ({ title, id, workspace = "", mode = "" }: TaskSummary): readonly string[] => [
  ...new Set([title, id, workspace, mode].flatMap(wordsIn)),
];

/** The words that a searched text has, at most 16. A task is found if each of them begins one of its words. */
export const searchedWords = (text: string): readonly string[] =>
  [...new Set(wordsIn(text))].slice(0, WORDS_MAX);

/** Whether a list finds a task by these words. */
export function hasWords(summary: TaskSummary, searched: readonly string[]): boolean {
  if (searched.length === 0) return true;
  const words = wordsOf(summary);
  return searched.every((given) => words.some((word) => word.startsWith(given)));
}
