import { structuredPatch } from "diff";
import type { LineChange } from "../../machines/tool-call/file-write.ts";

/** Maximum number of changed lines that are compared one by one; the cost is quadratic. */
const EDITS_MAX = 4_000;
/** Maximum number of ranges of one change. */
const RANGES_MAX = 1_000;

/** The ranges of lines that differ, in order. A change with too many is one range. */
export function lineChanges(before: string, after: string): readonly LineChange[] {
  const patch = structuredPatch("", "", before, after, undefined, undefined, {
    context: 0,
    maxEditLength: EDITS_MAX,
  });
  if (patch === undefined || patch.hunks.length > RANGES_MAX) return [wholeChange(before, after)];
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines }) => ({
    before: { start: oldStart, count: oldLines },
    after: { start: newStart, count: newLines },
  }));
}

/** One range from the first to the last line that differs. */
function wholeChange(before: string, after: string): LineChange {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const range = ({ length }: readonly string[]) => ({ start: head + 1, count: length - head - tail });
  return { before: range(old), after: range(now) };
}

/** Each with its newline. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
