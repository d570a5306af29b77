import { spawn } from "node:child_process";
import path from "node:path";
import {
  decodeText,
  type FileMatches,
  type SearchOptions,
  type SearchResult,
  ToolError,
} from "../../tools/index.ts";
import { hiddenAt } from "./list.ts";
import { openInside } from "./opened.ts";
import { fromRoot, type Place } from "./place.ts";
import { readOpened } from "./read.ts";
import type { Closed, Hidden } from "./rules.ts";
import { refuseClosed } from "./write.ts";

/** The most characters of a line that are shown. */
const LINE_MAX_CHARS = 500;
/** Files larger than this are not searched. */
const FILE_MAX_BYTES = 5_000_000;
/** The most bytes that ripgrep's complaint may have. */
const COMPLAINT_MAX_CHARS = 4_000;

interface Hit {
  readonly file: string;
  readonly line: number;
}

/**
 * Lines that match. Ripgrep only says where; the lines themselves are read through the workspace's own
 * check, so that none is shown of a file that lies outside, is closed, or is reached by a symlink (L9).
 */
export async function searchInside(
  place: Place,
  closed: Closed,
  absolute: string,
  options: SearchOptions,
  hiddenNames: readonly string[],
): Promise<SearchResult> {
  await using target = await openInside(place, absolute, options.path);
  const targetAt = fromRoot(place.root, target.real);
  refuseClosed(closed, targetAt, options.path);
  const stat = await target.handle.stat();
  if (!stat.isDirectory() && !stat.isFile()) {
    throw new ToolError("not_a_folder", `'${options.path}' is neither a folder nor a file: expected one.`);
  }
  const single = !stat.isDirectory();
  const folderAt = single ? fromRoot(place.root, path.dirname(target.real)) : targetAt;
  await using folder = await openInside(place, path.join(place.root, folderAt), options.path);
  const shown = visible(place, folderAt, hiddenNames);

  const files: FileMatches[] = [];
  let left = options.limit;
  const what = single ? `./${path.basename(target.real)}` : "./";
  for await (const [file, hits] of byFile(ripgrep(folder.via, what, options, hiddenNames))) {
    const relative = path.posix.join(folderAt, file);
    if (closed.closes(relative) || !(single || (await shown(relative)))) continue;
    const lines = await linesAround(place, relative, hits.slice(0, left));
    if (lines === undefined) continue;
    files.push({ path: relative, lines });
    left -= lines.filter((line) => line.matches).length;
    if (hits.length > options.limit || left <= 0) return { files, cut: true };
  }
  return { files, cut: false };
}

/** Whether a file is one that listings show; the rules of a folder are read once. */
function visible(
  place: Place,
  base: string,
  names: readonly string[],
): (relative: string) => Promise<boolean> {
  const known = new Map<string, Promise<Hidden>>([[base, hiddenAt(place, base, names)]]);
  const rulesOf = (folder: string): Promise<Hidden> => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const above = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : "";
    const made = rulesOf(above).then((rules) => rules.within(folder));
    known.set(folder, made);
    return made;
  };
  return async (relative) => {
    const parts = relative.split("/");
    for (let depth = base === "" ? 1 : base.split("/").length + 1; depth <= parts.length; depth += 1) {
      const at = parts.slice(0, depth).join("/");
      const rules = await rulesOf(parts.slice(0, depth - 1).join("/"));
      if (rules.hides(depth < parts.length ? `${at}/` : at)) return false;
    }
    return true;
  };
}

async function linesAround(
  place: Place,
  relative: string,
  hits: readonly number[],
): Promise<FileMatches["lines"] | undefined> {
  let text: string | undefined;
  try {
    await using file = await openInside(place, path.join(place.root, relative), relative);
    if (fromRoot(place.root, file.real) !== relative) return undefined;
    text = decodeText(await readOpened(place, file, relative, FILE_MAX_BYTES));
  } catch (error) {
    // Gone, outside or too large by now: it is no match any more.
    if (error instanceof ToolError) return undefined;
    throw error;
  }
  if (text === undefined) return undefined;
  const all = text.split("\n");
  const matching = new Set(hits.filter((number) => number >= 1 && number <= all.length));
  if (matching.size === 0) return undefined;
  const numbers = new Set([...matching].flatMap((number) => [number - 1, number, number + 1]));
  return [...numbers]
    .filter((number) => number >= 1 && number <= all.length)
    .filter((number) => matching.has(number) || all[number - 1] !== "")
    .sort((a, b) => a - b)
    .map((number) => ({ number, text: shorten(all[number - 1] ?? ""), matches: matching.has(number) }));
}

function shorten(line: string): string {
  const bare = line.replace(/\r$/, "");
  return bare.length > LINE_MAX_CHARS ? `${bare.slice(0, LINE_MAX_CHARS)}[...]` : bare;
}

async function* byFile(hits: AsyncIterable<Hit>): AsyncGenerator<[string, readonly number[]]> {
  let file: string | undefined;
  let lines: number[] = [];
  for await (const hit of hits) {
    if (file !== undefined && hit.file !== file) {
      yield [file, lines];
      lines = [];
    }
    file = hit.file;
    lines.push(hit.line);
  }
  if (file !== undefined) yield [file, lines];
}

/** Where lines match. Ripgrep gets no configuration, no rules from above the workspace and no symlinks. */
async function* ripgrep(
  cwd: string,
  what: string,
  options: SearchOptions,
  hiddenNames: readonly string[],
): AsyncGenerator<Hit> {
  const filter = options.filePattern === undefined ? [] : [`--glob=${options.filePattern}`];
  // Loaded here, because its module cannot start in a bundle to CommonJS.
  const { rgPath } = await import("@vscode/ripgrep");
  const child = spawn(
    rgPath,
    [
      ...[
        "--no-config",
        "--no-messages",
        "--color=never",
        "--no-heading",
        "--with-filename",
        "--line-number",
      ],
      // A line is read by us, so ripgrep needs not print it: only "omitted" comes for any longer than this.
      ...["--null", "--max-columns=1", "--sort=path", "--hidden", "--no-follow", "--no-require-git"],
      ...["--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude"],
      ...[
        `--max-filesize=${FILE_MAX_BYTES}`,
        `--max-count=${options.limit + 1}`,
        `--regexp=${options.regex}`,
      ],
      ...[...filter, ...hiddenNames.map((name) => `--glob=!${name}`), "--", what],
    ],
    { cwd, stdio: ["ignore", "pipe", "pipe"], signal: options.signal, env: {} },
  );
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, COMPLAINT_MAX_CHARS);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  // It is awaited after the output; until then its failure is nobody's surprise.
  ended.catch(() => undefined);
  try {
    yield* hitsIn(child.stdout.setEncoding("utf8"));
    const code = await ended;
    if (code !== 0 && code !== 1 && complaint !== "") {
      throw new ToolError(
        "bad_pattern",
        `The search was refused: ${complaint.trim()}. Expected a regular expression in Rust's syntax and a glob.`,
      );
    }
  } finally {
    child.kill("SIGKILL");
  }
}

/** Records of ripgrep: the path, a NUL, the line's number, a colon, a text, a line break. */
async function* hitsIn(output: AsyncIterable<string>): AsyncGenerator<Hit> {
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
