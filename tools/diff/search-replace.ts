import { ToolError } from "../error.ts";

/** One block of a search/replace diff. */
export interface Block {
  /** The line of the file that the search begins at, counted from 1; a hint. */
  readonly startLine?: number;
  readonly search: readonly string[];
  readonly replace: readonly string[];
}

const SEARCH = /^<<<<<<< SEARCH>?\s*$/;
const DIVIDER = /^=======\s*$/;
const REPLACE = /^>>>>>>> REPLACE\s*$/;
const START_LINE = /^:start_line:\s*(\d+)\s*$/;
const END_LINE = /^:end_line:\s*\d+\s*$/;
const DASHES = /^-------\s*$/;
const ESCAPED = /^\\(?=<<<<<<< SEARCH|=======|>>>>>>> REPLACE|-------|:start_line:)/;

const SHAPE =
  "Each block is: <<<<<<< SEARCH, optionally :start_line:N and -------, the lines to find, =======, the lines to put there, >>>>>>> REPLACE.";

/**
 * The blocks of a diff. A line of the file that looks like a marker is written with a backslash before it.
 *
 * @throws ToolError `bad_diff`, naming the diff's line
 */
export function parseBlocks(diff: string): readonly Block[] {
  const lines = diff.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.trim() === "") {
      at += 1;
      continue;
    }
    if (!SEARCH.test(lines[at] ?? "")) refuse(at, "<<<<<<< SEARCH", lines[at]);
    const { block, next } = parseBlock(lines, at + 1);
    blocks.push(block);
    at = next;
  }
  if (blocks.length === 0) throw new ToolError("bad_diff", `The diff has no block. ${SHAPE}`);
  return blocks;
}

function parseBlock(
  lines: readonly string[],
  from: number,
): { readonly block: Block; readonly next: number } {
  let at = from;
  const startLine = START_LINE.exec(lines[at] ?? "")?.[1];
  if (startLine !== undefined) at += 1;
  if (END_LINE.test(lines[at] ?? "")) at += 1;
  if (DASHES.test(lines[at] ?? "")) at += 1;
  const search = until(lines, at, DIVIDER, "=======");
  const replace = until(lines, search.next, REPLACE, ">>>>>>> REPLACE");
  return {
    block: {
      ...(startLine === undefined || startLine === "0" ? {} : { startLine: Number(startLine) }),
      search: search.lines,
      replace: replace.lines,
    },
    next: replace.next,
  };
}

function until(lines: readonly string[], from: number, end: RegExp, name: string) {
  const taken: string[] = [];
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (end.test(line)) return { lines: taken, next: at + 1 };
    if (SEARCH.test(line) || DIVIDER.test(line) || REPLACE.test(line)) refuse(at, name, line);
    taken.push(line.replace(ESCAPED, ""));
  }
  return refuse(lines.length, name, undefined);
}

function refuse(at: number, expected: string, came: string | undefined): never {
  const what = came === undefined ? "the diff's end" : `'${came.slice(0, 80)}'`;
  throw new ToolError(
    "bad_diff",
    `Line ${at + 1} of the diff: expected ${expected}, received ${what}. ${SHAPE}`,
  );
}
