import { suffixOf } from "../suffix.ts";

/** A piece of a row's text that is to be shown next. */
export interface Piece {
  readonly text: string;
  /** The text before it no longer counts: this is the beginning of another one. */
  readonly isAnew: boolean;
}

/**
 * How much of one row's text has been shown. The pieces that are taken, joined, are the row's text; where a text does
 * not go on from the one before, they are so from the last piece that `isAnew`. A growth costs as much as it is long; a
 * whole text is compared once with the one before, which is linear in its length.
 *
 * @example
 * ```ts
 * import { RowText } from "signalbox/client";
 * const row = new RowText();
 * row.set("Hel");
 * row.take();
 * row.set("Hello");
 * console.log(row.take().text); // lo
 * ```
 */
export class RowText {
  #text = "";
  #rest = "";
  #isAnew = false;

  /** The newest text. */
  get text(): string {
    return this.#text;
  }

  /** Whether there is nothing left to take. */
  get isTaken(): boolean {
    return this.#rest === "";
  }

  /** It goes on with `suffix`. */
  grow(suffix: string): void {
    this.#text += suffix;
    this.#rest += suffix;
  }

  /** It is `text` now. */
  set(text: string): void {
    const known = this.#text;
    const grown = suffixOf(known, text);
    if (grown !== undefined) this.#rest += grown;
    else {
      this.#isAnew ||= this.#rest.length < known.length;
      this.#rest = text;
    }
    this.#text = text;
  }

  /** All of it counts as shown. */
  skip(): void {
    this.#rest = "";
    this.#isAnew = false;
  }

  /**
   * What is to be shown next: at most `maxChars` (2 or more), no half of a character. Of a text that may grow, a half
   * character, a `\r` and the beginning of a colour at its end are kept back, until it is known what follows them.
   */
  take(maxChars = Number.POSITIVE_INFINITY, isWhole = true): Piece {
    const rest = this.#rest;
    let end = Math.min(rest.length, maxChars);
    if (end < rest.length || !isWhole) end -= keptBack(rest, end);
    const piece = { text: rest.slice(0, end), isAnew: this.#isAnew && end > 0 };
    if (end > 0) this.#isAnew = false;
    this.#rest = rest.slice(end);
    return piece;
  }
}

/** The longest that is kept back, in UTF-16 units: no colour is as long. */
const KEPT_MAX_CHARS = 32;
/** The first half of a character, ends of line, and the beginning of a colour. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a colour
const BEGUN = /(?:[\ud800-\udbff]|\r+|\x1b(?:\[[0-9;:]*)?)$/;

/** How much before `end` is not to be told from what follows it. Where a text goes on, some of it is always shown. */
function keptBack(rest: string, end: number): number {
  const from = Math.max(end - KEPT_MAX_CHARS, end < rest.length ? 1 : 0, 0);
  return BEGUN.exec(rest.slice(from, end))?.[0].length ?? 0;
}
