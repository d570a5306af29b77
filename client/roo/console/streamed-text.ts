import { suffixOf } from "../../text-change.ts";

/** The next part of a message's text to write. */
export interface TextChunk {
  readonly text: string;
  /** Whether it begins another text: the text before it is obsolete. */
  readonly isRestart: boolean;
}

/**
 * Tracks how much of a message's text has been written. The joined chunks since the last one with `isRestart` are the
 * text. A growth costs as much as it is long; a replaced text is compared with the previous one once.
 */
export class StreamedText {
  #text = "";
  #rest = "";
  #isRestart = false;

  /** The newest text. */
  get text(): string {
    return this.#text;
  }

  /** Whether all of it has been written. */
  get isTaken(): boolean {
    return this.#rest === "";
  }

  /** Append `suffix`. */
  grow(suffix: string): void {
    this.#text += suffix;
    this.#rest += suffix;
  }

  /** Replace the text. */
  set(text: string): void {
    const known = this.#text;
    const grown = suffixOf(known, text);
    if (grown !== undefined) this.#rest += grown;
    else {
      this.#isRestart ||= this.#rest.length < known.length;
      this.#rest = text;
    }
    this.#text = text;
  }

  /** Count all of it as written. */
  skip(): void {
    this.#rest = "";
    this.#isRestart = false;
  }

  /**
   * Take the next chunk: at most `maxChars` (2 or more), without splitting a character. While the text may grow, a
   * surrogate, a `\r` and a partial color sequence at its end are held back until their rest has come.
   */
  take(maxChars = Number.POSITIVE_INFINITY, isComplete = true): TextChunk {
    const rest = this.#rest;
    let end = Math.min(rest.length, maxChars);
    if (end < rest.length || !isComplete) end -= heldBack(rest, end);
    const chunk = { text: rest.slice(0, end), isRestart: this.#isRestart && end > 0 };
    if (end > 0) this.#isRestart = false;
    this.#rest = rest.slice(end);
    return chunk;
  }
}

/** Most UTF-16 units held back: longer than any color sequence. */
const HELD_MAX_CHARS = 32;
/** A high surrogate, carriage returns, or a partial color sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a color
const INCOMPLETE = /(?:[\ud800-\udbff]|\r+|\x1b(?:\[[0-9;:]*)?)$/;

/** The number of units before `end` that depend on what follows. Within a text at least one unit is written. */
function heldBack(rest: string, end: number): number {
  const from = Math.max(end - HELD_MAX_CHARS, end < rest.length ? 1 : 0, 0);
  return INCOMPLETE.exec(rest.slice(from, end))?.[0].length ?? 0;
}
