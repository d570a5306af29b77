import type { Output } from "../io.ts";

/** Text styles; plain text where the output takes no colors. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
}
export type Paint = (text: string) => string;

const PLAIN: Paint = (text) => text;
const paint =
  (on: number, off: number): Paint =>
  (text) =>
    text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`;

const COLORED: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  magenta: paint(35, 39),
  cyan: paint(36, 39),
};
const UNCOLORED: Style = {
  ...{ bold: PLAIN, dim: PLAIN, red: PLAIN, green: PLAIN, yellow: PLAIN, magenta: PLAIN, cyan: PLAIN },
};

/** Colors on a terminal, unless NO_COLOR is set (no-color.org). */
export function createStyle(output: Output, env: Readonly<Record<string, string | undefined>>): Style {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb" ? COLORED : UNCOLORED;
}

/** Color a line of a unified diff. */
export function colorDiffLine(line: string, style: Style): string {
  if (line.startsWith("+++") || line.startsWith("---")) return style.bold(line);
  if (line.startsWith("+")) return style.green(line);
  if (line.startsWith("-")) return style.red(line);
  return line.startsWith("@@") ? style.cyan(line) : line;
}
