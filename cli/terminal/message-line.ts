import { printable } from "../../client/printable/printable.ts";
import { withoutOutput } from "./own-commands.ts";

/** A message of the user on one line, cut at this many characters. */
export function messageLine(text: string, charsMax: number): string {
  const line = printable(withoutOutput(text)).replaceAll("\n", " ");
  return line.length > charsMax ? `${line.slice(0, charsMax)}...` : line;
}
