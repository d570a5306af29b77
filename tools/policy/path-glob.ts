import path from "node:path";
import type { CallPath } from "../../machines/tool-call/call.ts";
import { parseWildcards } from "./wildcards.ts";

/** A glob for paths in the workspace, as a line of `.gitignore`. */
export interface PathGlob {
  readonly text: string;
  /** Whether it matches a path exactly as given, and its real path. */
  covers(spellings: readonly string[]): boolean;
  /** Whether it matches the given or the real path, regardless of case and Unicode normalization. */
  touches(spellings: readonly string[]): boolean;
  /** Whether it may match a file below the given or the real path. */
  mayTouchBelow(spellings: readonly string[]): boolean;
}

export const EXPECTED_GLOB =
  "a glob relative to the workspace, with `*`, `**` and `?`, and without `..`, `~`, `!`, `[`, `{` and `\\`";

/** Syntax with another meaning elsewhere: a rule that silently matches nothing would not protect. */
const REJECTED = /^[!~]|[[\]{}\\\0\n]|(^|\/)\.\.(\/|$)|\/\.?\/|\/\.$/;

/** Undefined for text that is not a glob. */
export function parseGlob(text: string): PathGlob | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "/" || REJECTED.test(trimmed)) return undefined;
  const pattern = patternOf(trimmed);
  const exact = parseWildcards(pattern);
  const folded = parseWildcards(fold(pattern));
  const folder = literalFolderOf(pattern);
  return {
    text: trimmed,
    covers: (spellings) => spellings.every((each) => exact.matches(each.split("/"))),
    touches: (spellings) => spellings.some((each) => folded.matches(fold(each).split("/"))),
    mayTouchBelow: (spellings) =>
      spellings.some((each) => {
        const below = fold(each);
        return below === "." || isBelow(folder, below) || isBelow(below, folder);
      }),
  };
}

/** The error of a text that is not a glob; undefined for a glob. */
export const globError = (text: string): string | undefined =>
  parseGlob(text) === undefined ? `expected ${EXPECTED_GLOB}` : undefined;

/** A path as given and its real path, relative to the workspace, with forward slashes; `.` for the workspace itself. */
export function spellingsOf(workspace: string, { path: given, real }: CallPath): readonly string[] {
  return [given, real].map(
    (each) =>
      path.relative(workspace, path.resolve(workspace, each)).split(path.sep).join("/").replace(/\/$/, "") ||
      ".",
  );
}

/** The line of `.gitignore`. `src/**` is `src` with everything below, so that the folder itself can be listed. */
function patternOf(glob: string): string {
  const plain = glob.replace(/^(\.\/)+/, "").replace(/\*{3,}/g, "**");
  if (plain === "." || plain === "" || /^\/?(\*\*\/?)+$/.test(plain)) return "**";
  const base = plain.replace(/(\/\*\*)+\/?$/, "");
  return base !== plain && !base.includes("/") ? `/${base}` : base;
}

/** Makes equal what a file system that ignores case and normalization takes as equal. */
function fold(text: string): string {
  return text.normalize("NFC").toLowerCase().toUpperCase().normalize("NFC");
}

/** The folder that everything which the pattern matches is below; empty for the workspace. */
function literalFolderOf(pattern: string): string {
  if (!pattern.slice(0, -1).includes("/")) return "";
  const names = pattern.replace(/^\//, "").split("/");
  const wild = names.findIndex((name) => /[*?]/.test(name));
  return fold(names.slice(0, wild < 0 ? undefined : wild).join("/"));
}

function isBelow(folder: string, relative: string): boolean {
  return folder === "" || folder === relative || relative.startsWith(`${folder}/`);
}
