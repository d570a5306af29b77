import { ToolError } from "../error.ts";

/** Maximum number of lines of a file that is changed by lines. */
const LINES_MAX = 1_000_000;

/** A line of a file. */
export interface Line {
  readonly text: string;
  /** Its line break, empty at the end of the file. */
  readonly end: string;
}

/** A change of consecutive lines. */
export interface LineEdit {
  /** Index of the first line. */
  readonly at: number;
  /** Number of lines that are replaced. */
  readonly count: number;
  readonly lines: readonly string[];
}

/** @throws ToolError `too_large` */
export function splitLines(path: string, text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const [whole, body = "", end = ""] of text.matchAll(/([^\n]*?)(\r?\n|$)/gy)) {
    if (whole === "") continue;
    if (lines.length >= LINES_MAX)
      throw new ToolError(
        "too_large",
        `'${path}' has more than ${LINES_MAX} lines: expected fewer. Change it with a command.`,
      );
    lines.push({ text: body, end });
  }
  return lines;
}

/** The text after edits, which are in order and don't overlap. New lines get the line break of the text. */
export function joinLines(lines: readonly Line[], edits: readonly LineEdit[]): string {
  const lineBreak = lines.find((line) => line.end !== "")?.end ?? "\n";
  const parts: string[] = [];
  let from = 0;
  const keep = (to: number): void => {
    for (; from < to; from += 1) parts.push((lines[from]?.text ?? "") + (lines[from]?.end ?? ""));
  };
  for (const { at, count, lines: added } of edits) {
    keep(at);
    // A line after a last line without a line break needs one.
    if (lines[at - 1]?.end === "" && added.length > 0) parts.push(lineBreak);
    const lastOfFile = at + count === lines.length;
    const lastEnd = lastOfFile ? (lines.at(-1)?.end ?? lineBreak) : lineBreak;
    for (const [index, line] of added.entries())
      parts.push(line + (index === added.length - 1 ? lastEnd : lineBreak));
    from = at + count;
  }
  keep(lines.length);
  return parts.join("");
}
