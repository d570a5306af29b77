/** A violation of a law in a recorded log. */
export interface LogViolation {
  /** Id of the law, as in `docs/concepts/laws.md`: `L3`. */
  readonly law: string;
  /** Position of the message, entry or commit, from 0. */
  readonly at: number;
  /** In a conversation: position of the block in the entry, from 0. */
  readonly block?: number;
  /** The rule of the law, in one clause. */
  readonly expected: string;
  /** The value that was found. */
  readonly came: string;
}

/** Limit of a quoted value, in characters. */
const QUOTE_CHARACTERS_MAX = 60;

/** Format a recorded value in one line, cut to its limit. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > QUOTE_CHARACTERS_MAX ? `${text.slice(0, QUOTE_CHARACTERS_MAX)}…` : text;
}
