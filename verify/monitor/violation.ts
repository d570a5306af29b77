/** A law that a recorded log does not hold, and where. */
export interface LogViolation {
  /** The law's number, as in `docs/concepts/laws.md`: `L3`. */
  readonly law: string;
  /** The position, from 0, of the row, entry or commit that shows it. */
  readonly at: number;
  /** Of a conversation: the block in the entry, from 0, where one block shows it. */
  readonly block?: number;
  /** What the law asks for, in one clause. */
  readonly expected: string;
  /** What stands there. */
  readonly came: string;
}

/** How much of a foreign text a violation quotes. */
const QUOTED_CHARACTERS = 60;

/** A value of a log, short enough to be read in a line. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text;
}
