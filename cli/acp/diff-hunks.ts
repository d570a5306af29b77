/** A part of a file before and after a change. */
export interface Hunk {
  /** The first line of the changed file, from 1. */
  readonly line: number;
  readonly oldText: string;
  readonly newText: string;
}

const HEADER = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The hunks of a unified diff of one file. Lines before the first hunk, such as a note in brackets, are in none. */
export function parseHunks(diff: string): readonly Hunk[] {
  const hunks: { line: number; before: string[]; after: string[] }[] = [];
  for (const text of diff.split("\n")) {
    const [, line] = HEADER.exec(text) ?? [];
    if (line !== undefined) hunks.push({ line: Math.max(1, Number(line)), before: [], after: [] });
    const hunk = hunks.at(-1);
    if (line !== undefined || hunk === undefined) continue;
    const [mark, content] = [text.charAt(0), text.slice(1)];
    if (mark === " " || mark === "-") hunk.before.push(content);
    if (mark === " " || mark === "+") hunk.after.push(content);
  }
  return hunks.map(({ line, before, after }) => ({
    line,
    oldText: textOf(before),
    newText: textOf(after),
  }));
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
