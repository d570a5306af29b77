import path from "node:path";
import type { FileMatches } from "../../ports/workspace.ts";
import { ToolError } from "../../tools/error.ts";
import { characterBoundaryAfter } from "../../tools/text.ts";
import { decodeForDisplay, decodeText, encodingOf, withoutMark } from "../../tools/text-encoding.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import { type OpenPath, openInside } from "./open-path.ts";
import { readOpen, readOpenPart } from "./read.ts";

/** A matching line, or a whole binary file that matches. */
export type Match =
  | { readonly kind: "binary"; readonly file: string }
  | {
      readonly kind: "line";
      readonly file: string;
      readonly line: number;
      /** Byte of the match in the line, from 0. */
      readonly column: number;
      /** Byte of the line in the file, from 0. */
      readonly offset: number;
    };
type LineMatch = Extract<Match, { kind: "line" }>;

/** Characters of a line in a result. */
const LINE_MAX_CHARS = 500;
/** Characters of a longer line that are shown before its match. */
const LEAD_CHARS = 100;
/** Bytes above which only the parts of a file with matches are read. */
const WHOLE_FILE_MAX_BYTES = 5_000_000;
/** A larger file in UTF-16 is not shown: places in it are not those in its bytes. */
const UTF_16_MAX_BYTES = 20_000_000;
const UTF_8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

interface MatchLines {
  readonly lines: FileMatches["lines"];
  /** The reason why matches are not shown, or not as they are. */
  readonly incomplete?: string;
}

/** The lines of matches, read through the workspace's check. Undefined for a file that is gone, or reached by a symlink. */
export async function linesOfMatches(
  confinement: Confinement,
  relative: string,
  matches: readonly Match[],
): Promise<MatchLines | undefined> {
  const found = matches.filter((match) => match.kind === "line");
  try {
    await using file = await openInside(confinement, path.join(confinement.root, relative), relative);
    if (fromRoot(confinement.root, file.real) !== relative) return undefined;
    if (found.length < matches.length)
      return { lines: [], incomplete: "it is a binary file, and has a match" };
    const { size } = await file.handle.stat();
    if (size <= WHOLE_FILE_MAX_BYTES) return await linesAround(confinement, file, relative, found);
    const head = await readOpenPart(confinement, file, relative, { offset: 0, bytes: 3 });
    if (encodingOf(head) === "utf-8") return await partsOf(confinement, file, relative, { head, found });
    if (size <= UTF_16_MAX_BYTES) return await linesAround(confinement, file, relative, found);
    return {
      lines: [],
      incomplete: `it has matches in ${found.length} lines, and is too large to be shown in UTF-16`,
    };
  } catch (error) {
    // Removed or moved outside since: no match any more.
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** Matching lines, each with one before and after it. */
async function linesAround(
  confinement: Confinement,
  file: OpenPath,
  relative: string,
  found: readonly LineMatch[],
): Promise<MatchLines> {
  const bytes = await readOpen(confinement, file, relative, UTF_16_MAX_BYTES);
  const text = decodeText(bytes);
  if (text === undefined && bytes.includes(0) && encodingOf(bytes) === "utf-8")
    return { lines: [], incomplete: "it is a binary file, and has a match" };
  const all = withoutMark(text ?? decodeForDisplay(bytes)).split("\n");
  const columns = new Map(found.map(({ line, column }) => [line, column]));
  const numbers = new Set([...columns.keys()].flatMap((number) => [number - 1, number, number + 1]));
  const lines = [...numbers]
    .filter((number) => number >= 1 && number <= all.length)
    .filter((number) => columns.has(number) || all[number - 1] !== "")
    .sort((a, b) => a - b)
    .map((number) => {
      const column = columns.get(number);
      return { number, text: shorten(all[number - 1] ?? "", column ?? 0), matches: column !== undefined };
    });
  return { lines, ...(text === undefined && { incomplete: NOT_TEXT }) };
}

const NOT_TEXT = "it is not UTF-8: its other characters are shown as \ufffd, and were compared as bytes";

/** The part of a line that has the match. */
function shorten(line: string, column: number): string {
  const bare = line.replace(/\r$/, "");
  if (bare.length <= LINE_MAX_CHARS) return bare;
  const match = Buffer.from(bare).subarray(0, column).toString().length;
  const start = match + LEAD_CHARS <= LINE_MAX_CHARS ? 0 : Math.min(match, bare.length) - LEAD_CHARS;
  const shown = bare.slice(start, start + LINE_MAX_CHARS).toWellFormed();
  return `${start > 0 ? "[...]" : ""}${shown}${start + LINE_MAX_CHARS < bare.length ? "[...]" : ""}`;
}

/** The matching lines of a large file, without those around them. */
async function partsOf(
  confinement: Confinement,
  file: OpenPath,
  relative: string,
  { head, found }: { readonly head: Uint8Array; readonly found: readonly LineMatch[] },
): Promise<MatchLines> {
  // Ripgrep counts bytes after the mark.
  const mark = UTF_8_MARK.equals(head) ? UTF_8_MARK.length : 0;
  const lines: { number: number; text: string; matches: boolean }[] = [];
  let isText = true;
  for (const { line, column, offset } of found) {
    const skipped = Math.max(0, column - LEAD_CHARS);
    const place = { offset: mark + offset + skipped, bytes: LINE_MAX_CHARS };
    const part = Buffer.from(await readOpenPart(confinement, file, relative, place));
    const end = part.indexOf("\n");
    const shown = part.subarray(
      skipped > 0 ? characterBoundaryAfter(part, 0) : 0,
      end < 0 ? part.length : end,
    );
    const text = decodeText(shown, end < 0);
    isText &&= text !== undefined;
    const isLonger = end < 0 && part.length === LINE_MAX_CHARS;
    const body = (text ?? decodeForDisplay(shown)).replace(/\r$/, "");
    lines.push({
      number: line,
      text: `${skipped > 0 ? "[...]" : ""}${body}${isLonger ? "[...]" : ""}`,
      matches: true,
    });
  }
  return { lines, ...(!isText && { incomplete: NOT_TEXT }) };
}
