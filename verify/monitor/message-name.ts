import type { ClineMessage } from "../../machines/message/index.ts";

/** A row in a word: what it is. */
export const nameOf = (row: ClineMessage): string => `${row.type}:${row.ask ?? row.say ?? "?"}`;

/** A whole ask that bears no word of how it ended; the family marks an answered one by `isAnswered`. */
export const isUnclosedAsk = (row: ClineMessage): boolean =>
  row.type === "ask" && row.closing === undefined && row.isAnswered !== true;
