/** Control and bidirectional characters, except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the ones to find
const INVISIBLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Make text safe for a terminal: invisible characters become `\uXXXX`, a line end becomes `\n`. Otherwise a command
 * could hide a part of itself from the person who approves it. Chunks of a text must not end with `\r`.
 */
export function printable(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(INVISIBLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a color
const COLORS = /\x1b\[[0-9;:]*m/g;

/**
 * Make command output {@link printable}: without colors, an overwritten line as a separate line. Chunks must not end
 * within a color sequence or with `\r`.
 */
export function printableOutput(text: string): string {
  return printable(text.replace(COLORS, "").replace(/\r+\n/g, "\n").replaceAll("\r", "\n"));
}
