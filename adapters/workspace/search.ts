import path from "node:path";
import {
  decodeText,
  type FileMatches,
  type SearchOptions,
  type SearchResult,
  ToolError,
} from "../../tools/index.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import { openInside } from "./open-path.ts";
import { readOpen } from "./read.ts";
import { ripgrep } from "./ripgrep.ts";
import { assertAllowed, createIsShown, type IsDenied } from "./rules.ts";

/** Characters of a line in a result. */
const LINE_MAX_CHARS = 500;
/** Files larger than this are not searched. */
const FILE_MAX_BYTES = 5_000_000;

interface Match {
  readonly file: string;
  readonly line: number;
}

/**
 * Lines that match. Ripgrep only finds their numbers; the lines are read through the workspace's own check, so that
 * none is shown of a file that is outside, denied, or reached by a symlink (L9).
 */
export async function searchInside(
  confinement: Confinement,
  isDenied: IsDenied,
  absolute: string,
  options: SearchOptions,
  hiddenNames: readonly string[],
): Promise<SearchResult> {
  const { root } = confinement;
  await using target = await openInside(confinement, absolute, options.path);
  const targetPath = fromRoot(root, target.real);
  assertAllowed(isDenied, targetPath, options.path);
  const stat = await target.handle.stat();
  if (!stat.isDirectory() && !stat.isFile())
    throw new ToolError("not_a_folder", `'${options.path}' is neither a folder nor a file: expected one.`);
  const isFile = stat.isFile();
  const base = isFile ? fromRoot(root, path.dirname(target.real)) : targetPath;
  await using folder = await openInside(confinement, path.join(root, base), options.path);
  const isShown = createIsShown(confinement, base, hiddenNames);

  const files: FileMatches[] = [];
  let left = options.limit;
  const what = isFile ? `./${path.basename(target.real)}` : "./";
  for await (const [file, numbers] of byFile(findMatches(folder.via, what, options, hiddenNames))) {
    const relative = path.posix.join(base, file);
    if (isDenied(relative) || !(isFile || (await isShown(relative)))) continue;
    const lines = await linesAround(confinement, relative, numbers.slice(0, left));
    if (lines === undefined) continue;
    files.push({ path: relative, lines });
    left -= lines.filter((line) => line.matches).length;
    if (numbers.length > options.limit || left <= 0) return { files, cut: true };
  }
  return { files, cut: false };
}

async function linesAround(
  confinement: Confinement,
  relative: string,
  matches: readonly number[],
): Promise<FileMatches["lines"] | undefined> {
  const text = await readText(confinement, relative);
  if (text === undefined) return undefined;
  const all = text.split("\n");
  const matching = new Set(matches.filter((number) => number >= 1 && number <= all.length));
  if (matching.size === 0) return undefined;
  const numbers = new Set([...matching].flatMap((number) => [number - 1, number, number + 1]));
  return [...numbers]
    .filter((number) => matching.has(number) || (all[number - 1] ?? "") !== "")
    .sort((a, b) => a - b)
    .map((number) => ({ number, text: shorten(all[number - 1] ?? ""), matches: matching.has(number) }));
}

async function readText(confinement: Confinement, relative: string): Promise<string | undefined> {
  try {
    await using file = await openInside(confinement, path.join(confinement.root, relative), relative);
    if (fromRoot(confinement.root, file.real) !== relative) return undefined;
    return decodeText(await readOpen(confinement, file, relative, FILE_MAX_BYTES));
  } catch (error) {
    // Removed, moved outside or too large since: no match any more.
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function shorten(line: string): string {
  const bare = line.replace(/\r$/, "");
  return bare.length > LINE_MAX_CHARS ? `${bare.slice(0, LINE_MAX_CHARS)}[...]` : bare;
}

async function* byFile(matches: AsyncIterable<Match>): AsyncGenerator<[string, readonly number[]]> {
  let file: string | undefined;
  let lines: number[] = [];
  for await (const match of matches) {
    if (file !== undefined && match.file !== file) {
      yield [file, lines];
      lines = [];
    }
    file = match.file;
    lines.push(match.line);
  }
  if (file !== undefined) yield [file, lines];
}

/** The matching lines: files in the order of their paths. */
function findMatches(
  cwd: string,
  what: string,
  { filePattern, limit, regex, signal }: SearchOptions,
  hiddenNames: readonly string[],
): AsyncGenerator<Match> {
  const args = [
    ...["--no-heading", "--with-filename", "--line-number"],
    // Only line numbers are used: of a line longer than this ripgrep prints only "omitted".
    ...["--max-columns=1", "--sort=path", `--max-filesize=${FILE_MAX_BYTES}`],
    ...[`--max-count=${limit + 1}`, `--regexp=${regex}`],
    ...(filePattern === undefined ? [] : [`--glob=${filePattern}`]),
  ];
  const output = ripgrep({ cwd, what, args, hiddenNames, signal });
  return parseMatches(output);
}

/** Parses ripgrep's output: lines of a path, NUL, a line number, a colon and text. */
async function* parseMatches(output: AsyncIterable<string>): AsyncGenerator<Match> {
  let rest = "";
  for await (const chunk of output) {
    rest += chunk;
    for (;;) {
      const zero = rest.indexOf("\0");
      const end = zero < 0 ? -1 : rest.indexOf("\n", zero);
      if (end < 0) break;
      const line = Number.parseInt(rest.slice(zero + 1, end), 10);
      yield { file: rest.slice(0, zero).replace(/^\.\//, ""), line };
      rest = rest.slice(end + 1);
    }
  }
}
