import { ToolError } from "../error.ts";
import { endsOf, type Line, linesOf, usualEnd } from "./line-ends.ts";

/** Maximum number of lines of a file that is changed by lines. */
const LINES_MAX = 1_000_000;

/** A change of consecutive lines. */
export interface LineEdit {
  /** Index of the first line. */
  readonly at: number;
  /** Number of lines that are replaced. */
  readonly count: number;
  readonly lines: readonly string[];
}

/** @throws ToolError `TOO_LARGE` */
export function splitLines(path: string, text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const line of linesOf(text)) {
    if (lines.length >= LINES_MAX)
      throw new ToolError(
        "TOO_LARGE",
        `'${path}' has more than ${LINES_MAX} lines: expected fewer. Change it with a command.`,
      );
    lines.push(line);
  }
  return lines;
}

/** The text after edits, which are in order and don't overlap. A new line gets the line break of the lines that it is among. */
export function joinLines(lines: readonly Line[], edits: readonly LineEdit[]): string {
  const usual = usualEnd(lines) ?? "\n";
  const parts: string[] = [];
  let from = 0;
  const keep = (to: number): void => {
    for (; from < to; from += 1) parts.push((lines[from]?.text ?? "") + (lines[from]?.end ?? ""));
  };
  for (const { at, count, lines: added } of edits) {
    keep(at);
    // A line after a last line without a line break needs one.
    if (lines[at - 1]?.end === "" && added.length > 0) parts.push(usual);
    const near = lines[at - 1]?.end || lines[at]?.end || usual;
    const ends = endsOf(lines.slice(at, at + count), added.length, near);
    const lastOfFile = at + count === lines.length;
    const lastEnd = lastOfFile ? (lines.at(-1)?.end ?? usual) : undefined;
    for (const [index, line] of added.entries()) {
      const end = ends[index] ?? usual;
      parts.push(line + (index === added.length - 1 && lastEnd === "" ? lastEnd : end));
    }
    from = at + count;
  }
  keep(lines.length);
  return parts.join("");
}
