import { printable } from "../../client/printable/printable.ts";
import type { LeftOut } from "../../store/exchange/recorded-tree.ts";

/** Format a part of a log that a command leaves out. */
export const formatLeftOut = ({ taskId, tail }: LeftOut): string =>
  tail === undefined
    ? `The subtask ${taskId} was left out: its journal has no records.`
    : `The end of the journal of ${taskId}, from line ${tail.line}, was left out: ${printable(tail.reason)}.`;
