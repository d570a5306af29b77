import type { Entry } from "./entry.ts";
import { type HistoryOptions, type HistoryViolation, validateHistory } from "./validate.ts";

/** A conversation that the API would reject: a broken invariant of the caller (L6). */
export class HistoryError extends Error {
  /** The API would reject the conversation; see `violations`. Build entries with `pairResults`, or drop those named. */
  readonly code = "INVALID_HISTORY";
  readonly violations: readonly HistoryViolation[];

  constructor(violations: readonly HistoryViolation[]) {
    const lines = violations.slice(0, LISTED_MAX).map((violation) => `- ${formatViolation(violation)}`);
    if (violations.length > LISTED_MAX) lines.push(`- and ${violations.length - LISTED_MAX} more`);
    super(
      `Expected a conversation that the Messages API accepts, got one with faults:\n${lines.join("\n")}\n` +
        "Nothing was sent. Build user entries with pairResults, or drop the entries named above.",
    );
    this.name = "HistoryError";
    this.violations = violations;
  }
}

/** Maximum violations in the message. */
const LISTED_MAX = 10;

/**
 * Assert that the API accepts a conversation.
 *
 * @throws HistoryError (`INVALID_HISTORY`) with all violations
 */
export function assertHistory(history: Iterable<Entry>, options: HistoryOptions = {}): void {
  const violations = validateHistory(history, options);
  if (violations.length > 0) throw new HistoryError(violations);
}

const formatViolation = ({ fault, entry, block, message }: HistoryViolation): string =>
  `entry ${entry}${block === undefined ? "" : `, block ${block}`}: ${message} (${fault})`;
