import { ToolError } from "../error.ts";

/** One block of a search/replace diff. */
export interface Block {
  /** Expected line number of the first line, from 1; a hint. */
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

const FORMAT =
  "Each block is: <<<<<<< SEARCH, optionally :start_line:N and -------, the lines to find, =======, the lines to put there, >>>>>>> REPLACE.";

/**
 * Parse a diff into blocks. A line that looks like a marker is escaped with a backslash.
 *
 * @throws ToolError `DIFF_INVALID`, with the line number in the diff
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
    if (!SEARCH.test(lines[at] ?? "")) reject(at, "<<<<<<< SEARCH", lines[at]);
    const { block, next } = parseBlock(lines, at + 1);
    blocks.push(block);
    at = next;
  }
  if (blocks.length === 0) throw new ToolError("DIFF_INVALID", `The diff has no block. ${FORMAT}`);
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
  const search = readUntil(lines, at, DIVIDER, "=======");
  const replace = readUntil(lines, search.next, REPLACE, ">>>>>>> REPLACE");
  return {
    block: {
      ...(startLine === undefined || startLine === "0" ? {} : { startLine: Number(startLine) }),
      search: search.lines,
      replace: replace.lines,
    },
    next: replace.next,
  };
}

function readUntil(lines: readonly string[], from: number, end: RegExp, name: string) {
  const read: string[] = [];
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (end.test(line)) return { lines: read, next: at + 1 };
    if (SEARCH.test(line) || DIVIDER.test(line) || REPLACE.test(line)) reject(at, name, line);
    read.push(line.replace(ESCAPED, ""));
  }
  return reject(lines.length, name, undefined);
}

function reject(at: number, expected: string, line: string | undefined): never {
  const received = line === undefined ? "the end of the diff" : `'${line.slice(0, 80)}'`;
  throw new ToolError(
    "DIFF_INVALID",
    `Line ${at + 1} of the diff: expected ${expected}, received ${received}. ${FORMAT}`,
  );
}
