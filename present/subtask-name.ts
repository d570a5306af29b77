/** The word for a subtask that works while its parent goes on, beside its name. */
export const IN_BACKGROUND = "background";

/** The name of a subtask by its number in the tree: `Subtask 2.1`, `Subtask 2.1 (The docs)`. */
export const formatSubtaskName = (number: string, title?: string): string =>
  title === undefined || title === "" ? `Subtask ${number}` : `Subtask ${number} (${title})`;
