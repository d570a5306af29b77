/** The word for a subtask that works while its parent goes on, beside its name. */
export const IN_BACKGROUND = "background";

/** The name of a subtask by its number in the tree: `Subtask 2.1`, `Subtask 2.1 (The docs)`. */
export const formatSubtaskName = (number: string, title?: string): string =>
  `Subtask ${withTitle(number, title)}`;

/** The name of a subtask within a sentence: `subtask 2.1`, `subtask 2.1 (The docs)`. */
export const formatSubtaskInText = (number: string, title?: string): string =>
  `subtask ${withTitle(number, title)}`;

const withTitle = (number: string, title = ""): string => (title === "" ? number : `${number} (${title})`);
