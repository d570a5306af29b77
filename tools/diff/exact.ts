import { ToolError } from "../error.ts";
import { markOf, withoutMark } from "../text-encoding.ts";
import { linesOf, usualEnd, withEndsOf } from "./line-ends.ts";
import { nearestText } from "./match.ts";
import { positionsOf } from "./positions.ts";

/** One text in place of another. */
export interface Replacement {
  readonly before: string;
  readonly after: string;
  /** How often `before` must occur, or `all`: at least once. */
  readonly count: number | "all";
}

/** Maximum number of places that an error names. */
const NAMED_PLACES = 10;

/**
 * Replace a text. Line breaks of the file and a byte order mark are kept: a line of the replacement gets the line break of
 * the line that it is or replaces. The time is linear, but for places with mixed line breaks.
 *
 * @throws ToolError `NO_MATCH` if it does not occur as often as expected, with the lines; or if nothing would change
 */
export function replaceExactly(path: string, text: string, { before, after, count }: Replacement): string {
  const mark = markOf(text);
  const file = withoutMark(text);
  const plain = toPlain(file);
  const wanted = toPlain(withoutMark(before));
  const positions = positionsOf(plain, wanted);
  if (positions.length === 0) notFound(path, plain, wanted);
  if (count !== "all" && positions.length !== count) severalFound(path, plain, positions, count);
  const places = withoutOverlaps(positions, wanted.length);
  if (toPlain(withoutMark(after)) === wanted)
    throw new ToolError(
      "NO_MATCH",
      `The edit of '${path}' changes nothing: old_string and new_string are equal, but for line breaks, which stay as the file has them.`,
    );
  const added = toPlain(withoutMark(after));
  const usual = usualEnd(linesOf(file)) ?? "\n";
  const originals = originalOffsets(file);
  const parts = [mark];
  let from = 0;
  for (const place of places) {
    const start = originals(place);
    const end = originals(place + wanted.length);
    parts.push(file.slice(from, start), withEndsOf(file.slice(start, end), added, usual));
    from = end;
  }
  parts.push(file.slice(from));
  return parts.join("");
}

const toPlain = (text: string): string => text.replaceAll("\r\n", "\n");

/** From an offset in the text with plain line breaks to that in the file. Called with increasing offsets. */
function originalOffsets(file: string): (offset: number) => number {
  let passed = 0;
  let next = file.indexOf("\r\n");
  return (offset) => {
    while (next >= 0 && next - passed < offset) {
      passed += 1;
      next = file.indexOf("\r\n", next + 2);
    }
    return offset + passed;
  };
}

function withoutOverlaps(positions: readonly number[], length: number): readonly number[] {
  let end = 0;
  return positions.filter((at) => {
    if (at < end) return false;
    end = at + length;
    return true;
  });
}

function notFound(path: string, plain: string, wanted: string): never {
  throw new ToolError(
    "NO_MATCH",
    `The text of old_string is not in '${path}', so nothing was changed. Read the file, and send its exact text, with its white space and without line numbers.${nearestText(plain.split("\n"), wanted.split("\n"))}`,
  );
}

function severalFound(path: string, plain: string, positions: readonly number[], count: number): never {
  const lines = linesAt(plain, positions.slice(0, NAMED_PLACES));
  const more = positions.length > NAMED_PLACES ? ", ..." : "";
  const times = positions.length === 1 ? "once" : `${positions.length} times`;
  throw new ToolError(
    "NO_MATCH",
    `The text of old_string is ${times} in '${path}' (line ${lines.join(", ")}${more}), and ${count} ${count === 1 ? "was" : "were"} expected, so nothing was changed. Add lines around it, so that it is only at the place you mean, or set replace_all or expected_replacements.`,
  );
}

/** The numbers of the lines at these offsets, which are in order. */
function linesAt(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let at = 0;
  return offsets.map((offset) => {
    for (;;) {
      const next = text.indexOf("\n", at);
      if (next < 0 || next >= offset) return line;
      line += 1;
      at = next + 1;
    }
  });
}
