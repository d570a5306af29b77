import { SignalboxError } from "../signalbox-error.ts";
import type { Entry } from "./entry.ts";
import { type ConversationRules, type ConversationViolation, validateConversation } from "./validate.ts";

/** A conversation that the API would reject: a broken invariant of the caller (L6). */
export class ConversationError extends SignalboxError {
  /** The API would reject the conversation; see `violations`. Build entries with `pairResults`, or drop those named. */
  readonly code = "INVALID_HISTORY";
  readonly violations: readonly ConversationViolation[];

  constructor(violations: readonly ConversationViolation[]) {
    const lines = violations.slice(0, LISTED_MAX).map((violation) => `- ${formatViolation(violation)}`);
    if (violations.length > LISTED_MAX) lines.push(`- and ${violations.length - LISTED_MAX} more`);
    super(
      `Expected a conversation that the Messages API accepts, got one with faults:\n${lines.join("\n")}\n` +
        "Nothing was sent. Build user entries with pairResults, or drop the entries named above.",
    );
    this.name = "ConversationError";
    this.violations = violations;
  }
}

/** Maximum violations in the message. */
const LISTED_MAX = 10;

/**
 * Assert that the API accepts a conversation.
 *
 * @throws ConversationError (`INVALID_HISTORY`) with all violations
 */
export function assertConversation(history: Iterable<Entry>, options: ConversationRules = {}): void {
  const violations = validateConversation(history, options);
  if (violations.length > 0) throw new ConversationError(violations);
}

const formatViolation = ({ fault, entry, block, message }: ConversationViolation): string =>
  `entry ${entry}${block === undefined ? "" : `, block ${block}`}: ${message} (${fault})`;
