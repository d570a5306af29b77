/**
 * What would not be seen, or would change how its neighbours are seen: control characters but for the tab and the end
 * of a line, those that turn the direction of writing or take no room, halves of characters, and the tags that spell
 * words which only a model reads. The joiners that emoji and some scripts need are left as they are.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]+/gu;

/** The most pieces of one text: what comes after them is one more piece, written out all the same. */
const PIECES_MAX = 200;

/** A part of a text. One that is unseen is written out. */
export interface Piece {
  readonly text: string;
  readonly isUnseen: boolean;
}

const writtenOut = (unseen: string): string =>
  Array.from(unseen, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  }).join("");

/**
 * Text of a model, a file or a command as a person may be shown it: what would not be seen is written out as
 * `\uXXXX`, and an end of line is `\n`.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSEEN, writtenOut);
}

/** The same text in pieces, so that what was written out can be told from what was there. */
export function piecesOf(text: string): readonly Piece[] {
  const clean = text.replaceAll("\r\n", "\n");
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of clean.matchAll(UNSEEN)) {
    if (pieces.length >= PIECES_MAX) break;
    if (match.index > end) pieces.push({ text: clean.slice(end, match.index), isUnseen: false });
    pieces.push({ text: writtenOut(match[0]), isUnseen: true });
    end = match.index + match[0].length;
  }
  if (end < clean.length) pieces.push({ text: printable(clean.slice(end)), isUnseen: false });
  return pieces;
}

/** The first `maxChars` UTF-16 units of a text, or one less, so that no character is halved. */
export function headOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** How much of a name is shown where nothing else is said: its cell cuts it earlier. */
const SHORT_MAX_CHARS = 160;

/** A name in one line of at most `maxChars`, its middle left out where it is longer: both ends of an id tell it apart. */
export function shortened(text: string, maxChars = SHORT_MAX_CHARS): string {
  const line = printable(headOf(text, 4_000)).replace(/\s+/g, " ");
  if (line.length <= maxChars) return line;
  const head = Math.ceil((maxChars - 1) * 0.6);
  return `${headOf(line, head)}…${line.slice(line.length - (maxChars - 1 - head))}`;
}
