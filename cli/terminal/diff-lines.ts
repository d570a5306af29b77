import { printable } from "../../client/printable/printable.ts";
import { colorDiffLine } from "../show/style.ts";
import type { SlashContext } from "./slash-context.ts";

/** Maximum lines of a diff that are shown. */
const LINES_MAX = 400;
/** Maximum characters of a line of it. */
const LINE_CHARS_MAX = 2_000;

/** Show a unified diff in colors. @param rest what is about the lines that are left out */
export function showDiff({ show, say, style }: SlashContext, diff: string, rest: string): void {
  const lines = diff.replace(/\n$/, "").split("\n");
  for (const line of lines.slice(0, LINES_MAX)) {
    const cut = line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX)}...` : line;
    show(colorDiffLine(printable(cut), style));
  }
  if (lines.length > LINES_MAX) say(`(${lines.length - LINES_MAX} more lines. ${rest})`);
}
