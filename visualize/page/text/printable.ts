/**
 * Invisible characters: control characters except tab and newline, bidirectional and zero-width characters, lone
 * surrogates, and tag characters. The joiners that emoji and some scripts need are not included.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are escaped
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]+/gu;

/** The most parts of one text: the rest is one more part, escaped as well. */
const PARTS_MAX = 200;

/** A part of a text. Invisible characters are escaped. */
export interface TextPart {
  readonly text: string;
  readonly isEscaped: boolean;
}

const escaped = (invisible: string): string =>
  Array.from(invisible, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  }).join("");

/** Make untrusted text safe to show: invisible characters are escaped as `\uXXXX`, and line ends are `\n`. */
export const printable = (text: string): string => text.replaceAll("\r\n", "\n").replace(INVISIBLE, escaped);

/** The same text in parts, to distinguish escaped characters. */
export function textParts(text: string): readonly TextPart[] {
  const clean = text.replaceAll("\r\n", "\n");
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of clean.matchAll(INVISIBLE)) {
    if (parts.length >= PARTS_MAX) break;
    if (match.index > end) parts.push({ text: clean.slice(end, match.index), isEscaped: false });
    parts.push({ text: escaped(match[0]), isEscaped: true });
    end = match.index + match[0].length;
  }
  if (end < clean.length) parts.push({ text: printable(clean.slice(end)), isEscaped: false });
  return parts;
}

/** The first `maxChars` UTF-16 units of a text, or one less, so that no character is split. */
export function headOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** The default length of a name. */
const SHORT_MAX_CHARS = 160;

/** A name in one line of at most `maxChars`; a longer one loses its middle, as both ends of an id identify it. */
export function shortened(text: string, maxChars = SHORT_MAX_CHARS): string {
  const line = printable(headOf(text, 4_000)).replace(/\s+/g, " ");
  if (line.length <= maxChars) return line;
  const head = Math.ceil((maxChars - 1) * 0.6);
  return `${headOf(line, head)}…${line.slice(line.length - (maxChars - 1 - head))}`;
}
