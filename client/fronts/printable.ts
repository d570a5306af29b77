/** Control characters, and those that turn the direction of writing: all but the tab and the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of a model, a file or a command, as a terminal may be given it: what would not be seen is written out as
 * `\uXXXX`, and an end of line is `\n`. Else a command could hide a part of itself from the person who approves it.
 * A text may be given in pieces, if no piece ends with `\r`.
 */
export function printable(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a colour
const COLOURS = /\x1b\[[0-9;:]*m/g;

/**
 * Output of a command, {@link printable}: without colours, and a line that is written over again is a line of its own.
 * It may be given in pieces, if none ends within a colour or with `\r`.
 */
export function printableOutput(text: string): string {
  return printable(text.replace(COLOURS, "").replace(/\r+\n/g, "\n").replaceAll("\r", "\n"));
}
