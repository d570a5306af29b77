import type { Entry } from "./entry.ts";
import { type HistoryOptions, type HistoryViolation, validateHistory } from "./validate.ts";

/** A history that the API would refuse: a broken invariant of whoever built it (L6). */
export class HistoryError extends Error {
  /** The API would reject the conversation; see `violations`. Build entries with `pairResults`, or drop those named. */
  readonly code = "INVALID_HISTORY";
  readonly violations: readonly HistoryViolation[];

  constructor(violations: readonly HistoryViolation[]) {
    const lines = violations.slice(0, LISTED).map((violation) => `- ${lineOf(violation)}`);
    if (violations.length > LISTED) lines.push(`- and ${violations.length - LISTED} more`);
    super(
      `The history of the request is not valid, expected one that the Messages API takes:\n${lines.join("\n")}\n` +
        "Nothing was sent. Build the user's entry with pairResults, or drop the entries named above.",
    );
    this.name = "HistoryError";
    this.violations = violations;
  }
}

/** How many violations an error's message lists; all are in `violations`. */
const LISTED = 10;

/**
 * Throws where `history` is not one that the API takes.
 *
 * @throws HistoryError (`INVALID_HISTORY`) listing what is wrong, and where.
 */
export function assertHistory(history: Iterable<Entry>, options: HistoryOptions = {}): void {
  const violations = validateHistory(history, options);
  if (violations.length > 0) throw new HistoryError(violations);
}

const lineOf = ({ fault, entry, block, message }: HistoryViolation): string =>
  `entry ${entry}${block === undefined ? "" : `, block ${block}`}: ${message} (${fault})`;
