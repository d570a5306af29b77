import { structuredPatch } from "diff";

/** Maximum number of changed lines in a diff; its cost is quadratic. */
const EDITS_MAX = 4_000;

/** A change of a file, as it is shown to the user. */
export interface Change {
  /** Unified, with 3 lines of context. */
  readonly diff: string;
  readonly stats: { readonly added: number; readonly removed: number };
}

/** The change from `before` to `after`. A too large change has only its line counts. */
export function changeOf(path: string, before: string, after: string): Change {
  const patch = structuredPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: EDITS_MAX,
  });
  if (patch === undefined) {
    const stats = { added: lineCount(after), removed: lineCount(before) };
    return { diff: `[More than ${EDITS_MAX} lines change: the whole file is replaced.]`, stats };
  }
  let added = 0;
  let removed = 0;
  const lines: string[] = [];
  for (const hunk of patch.hunks) {
    lines.push(`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`);
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added += 1;
      if (line.startsWith("-")) removed += 1;
      lines.push(line);
    }
  }
  return { diff: lines.join("\n"), stats: { added, removed } };
}

/** A range without lines begins before its position. */
const range = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;

function lineCount(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
