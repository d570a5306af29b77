import path from "node:path";
import type { FileMatches, SearchOptions, SearchResult } from "../../ports/workspace.ts";
import { ToolError } from "../../tools/error.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import { linesOfMatches, type Match } from "./match-lines.ts";
import { type OpenPath, openInside } from "./open-path.ts";
import { ripgrep } from "./ripgrep.ts";
import { assertAllowed, createIsShown, type IsDenied } from "./rules.ts";

/** Files that a result names as not, or not completely, searched. */
const INCOMPLETE_MAX = 50;

/**
 * Lines that match. Ripgrep only finds their places; the lines are read through the workspace's own check, so that
 * none is shown of a file that is outside, denied, or reached by a symlink (L9).
 */
export async function searchInside(
  confinement: Confinement,
  isDenied: IsDenied,
  absolute: string,
  options: SearchOptions,
  hiddenNames: readonly string[],
): Promise<SearchResult> {
  const {
    folder: opened,
    base,
    file: only,
  } = await openTarget(confinement, isDenied, absolute, options.path);
  await using folder = opened;
  const isShown = createIsShown(confinement, base, hiddenNames);
  const isSearched = async (relative: string): Promise<boolean> =>
    !isDenied(relative) && (only !== undefined || (await isShown(relative)));

  const files: FileMatches[] = [];
  const incomplete = new Map<string, string>();
  let left = options.limit;
  let cut = false;
  const unreadable: (readonly [string, string])[] = [];
  const search = {
    what: `./${only ?? ""}`,
    hiddenNames,
    unreadable: (file: string, reason: string) => {
      if (unreadable.length <= INCOMPLETE_MAX) unreadable.push([file, reason]);
    },
  };
  for await (const [file, matches] of byFile(findMatches(folder.via, options, search))) {
    const relative = path.posix.join(base, file);
    if (!(await isSearched(relative))) continue;
    if (left <= 0) {
      cut = true;
      break;
    }
    const found = await linesOfMatches(confinement, relative, matches.slice(0, left));
    if (found === undefined) continue;
    cut = matches.length > left;
    if (found.incomplete !== undefined) incomplete.set(relative, found.incomplete);
    if (found.lines.length > 0) files.push({ path: relative, lines: found.lines });
    left -= found.lines.filter((line) => line.matches).length;
    if (cut) break;
  }
  for (const [file, reason] of unreadable) {
    const relative = path.posix.join(base, file);
    if (await isSearched(relative)) incomplete.set(relative, `it can't be read: ${reason}`);
  }
  const named = [...incomplete].slice(0, INCOMPLETE_MAX).map(([each, reason]) => ({ path: each, reason }));
  return { files, cut, ...(named.length > 0 && { incomplete: named }) };
}

/** Opens the folder to search, or the folder of the only file. */
async function openTarget(
  confinement: Confinement,
  isDenied: IsDenied,
  absolute: string,
  named: string,
): Promise<{ readonly folder: OpenPath; readonly base: string; readonly file: string | undefined }> {
  const { root } = confinement;
  await using target = await openInside(confinement, absolute, named);
  const targetPath = fromRoot(root, target.real);
  assertAllowed(isDenied, targetPath, named);
  const stat = await target.handle.stat();
  if (!stat.isDirectory() && !stat.isFile())
    throw new ToolError("NOT_A_FOLDER", `'${named}' is neither a folder nor a file: expected one.`);
  const base = stat.isFile() ? fromRoot(root, path.dirname(target.real)) : targetPath;
  const file = stat.isFile() ? path.basename(target.real) : undefined;
  return { folder: await openInside(confinement, path.join(root, base), named), base, file };
}

async function* byFile(matches: AsyncIterable<Match>): AsyncGenerator<[string, readonly Match[]]> {
  let file: string | undefined;
  let found: Match[] = [];
  for await (const match of matches) {
    if (file !== undefined && match.file !== file) {
      yield [file, found];
      found = [];
    }
    file = match.file;
    found.push(match);
  }
  if (file !== undefined) yield [file, found];
}

interface Search {
  readonly what: string;
  readonly hiddenNames: readonly string[];
  readonly unreadable: (file: string, reason: string) => void;
}

/** The matching lines: files in the order of their paths. */
function findMatches(
  cwd: string,
  { filePattern, limit, regex, signal }: SearchOptions,
  search: Search,
): AsyncGenerator<Match> {
  const args = [
    // A binary file is searched up to its first match.
    ...["--no-heading", "--with-filename", "--line-number", "--column", "--byte-offset", "--binary"],
    // Only places are used: of a line longer than this ripgrep prints only "omitted".
    ...["--max-columns=1", "--sort=path"],
    ...[`--max-count=${limit + 1}`, `--regexp=${regex}`],
    ...(filePattern === undefined ? [] : [`--glob=${filePattern}`]),
  ];
  return parseMatches(ripgrep({ cwd, args, signal, ...search }));
}

const BINARY = /^([^\0]*?): binary file matches \(found "\\0" byte around offset \d+\)\n/;
const LINE = /^([^\0]*)\0(\d+):(\d+):(\d+):[^\n]*\n/;

/** Parses ripgrep's output: lines of a path, NUL, three numbers, each with a colon, and text; or of a binary file. */
async function* parseMatches(output: AsyncIterable<string>): AsyncGenerator<Match> {
  let rest = "";
  for await (const chunk of output) {
    rest += chunk;
    for (;;) {
      const [binaryLine, binary] = BINARY.exec(rest) ?? [];
      if (binaryLine !== undefined && binary !== undefined) {
        yield { kind: "binary", file: withoutDot(binary) };
        rest = rest.slice(binaryLine.length);
        continue;
      }
      const [whole, file, line, column, offset] = LINE.exec(rest) ?? [];
      if (whole === undefined || file === undefined) break;
      const place = { line: Number(line), column: Number(column) - 1, offset: Number(offset) };
      yield { kind: "line", file: withoutDot(file), ...place };
      rest = rest.slice(whole.length);
    }
  }
}

const withoutDot = (file: string): string => file.replace(/^\.\//, "");
