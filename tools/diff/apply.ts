import { ToolError } from "../error.ts";
import { markOf, withoutMark } from "../text-encoding.ts";
import { changedRuns, type Line } from "./line-ends.ts";
import { joinLines, type LineEdit, splitLines } from "./lines.ts";
import { findLines, indentLike, nearestText, searchedText } from "./match.ts";
import { type Block, parseBlocks } from "./search-replace.ts";

/** The lines of a block in the file, and the changed lines among them. */
interface Edit extends Pick<LineEdit, "at" | "count"> {
  readonly nth: number;
  readonly changes: readonly LineEdit[];
}

/**
 * Apply a search/replace diff to `text`: all blocks or none. Every block is matched against the original text, so their
 * order is irrelevant. Lines that search and replacement share stay as the file has them, also their line breaks.
 *
 * @throws ToolError `DIFF_INVALID` for a malformed diff; `NO_MATCH` for a block that has no match, has several or overlaps
 *   another, with the nearest text and its line numbers; `TOO_LARGE` for too many lines
 */
export function applyBlocks(path: string, text: string, diff: string): string {
  const lines = splitLines(path, withoutMark(text));
  const edits = parseBlocks(diff).map((block, index) => locate(path, lines, block, index + 1));
  edits.sort((a, b) => a.at - b.at || a.nth - b.nth);
  let previousEnd = 0;
  for (const edit of edits) {
    if (edit.at < previousEnd) {
      const where = `line ${edit.at + 1}`;
      fail(edit.nth, path, `it overlaps another block at ${where}. Put both changes into one block`);
    }
    previousEnd = edit.at + edit.count;
  }
  const result =
    markOf(text) +
    joinLines(
      lines,
      edits.flatMap(({ changes }) => changes),
    );
  if (result === text) {
    throw new ToolError(
      "NO_MATCH",
      `The diff of '${path}' changes nothing: search and replacement are equal.`,
    );
  }
  return result;
}

function locate(path: string, lines: readonly Line[], block: Block, nth: number): Edit {
  const texts = lines.map((line) => line.text);
  if (block.search.length === 0) return insertion(path, texts, block, nth);
  const hint = block.startLine === undefined ? undefined : block.startLine - 1;
  const match = findLines(texts, block.search, hint);
  const count = block.search.length;
  if (match.kind === "found") {
    const { at, how } = match;
    const found = texts.slice(at, at + count);
    const changes = changedRuns(block.search, block.replace).map(({ from, to, added }) => ({
      at: at + from,
      count: to - from,
      lines: how === "spaces" ? indentLike(found, block.search, added) : added,
    }));
    return { nth, at, count, changes };
  }
  if (match.kind === "several") {
    const places = match.at.slice(0, 10).map((at) => at + 1);
    fail(
      nth,
      path,
      `its text is at several places (lines ${places.join(", ")}). Add lines around it, or :start_line:`,
    );
  }
  return fail(
    nth,
    path,
    `its text is not in the file. Read the file and search for its exact text.${nearestText(texts, block.search)}${searchedText(block.search)}`,
  );
}

function insertion(path: string, texts: readonly string[], block: Block, nth: number): Edit {
  if (block.startLine === undefined && texts.length > 0) {
    fail(
      nth,
      path,
      "its search is empty. Give the line to insert before with :start_line:, or a text to find",
    );
  }
  const at = (block.startLine ?? 1) - 1;
  if (at > texts.length) {
    fail(nth, path, `it inserts before line ${at + 1}, and the file has ${texts.length} lines`);
  }
  return { nth, at, count: 0, changes: [{ at, count: 0, lines: block.replace }] };
}

function fail(nth: number, path: string, problem: string): never {
  throw new ToolError(
    "NO_MATCH",
    `Block ${nth} of the diff doesn't match '${path}', and nothing was changed: ${problem}`,
  );
}
