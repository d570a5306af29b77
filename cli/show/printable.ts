/** Control characters, and those that turn the direction of writing: all but the tab and the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a colour
const COLOURS = /\x1b\[[0-9;:]*m/g;

/**
 * Text of a model or a file, as it can be shown on a terminal: what would not be seen is written out. Else a
 * command could hide a part of itself from the person who approves it.
 */
export function printable(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Output of a command: without colours, and a line that is written over again is a line of its own. */
export function printableOutput(text: string): string {
  return printable(text.replace(COLOURS, "").replace(/\r+\n/g, "\n").replaceAll("\r", "\n"));
}
