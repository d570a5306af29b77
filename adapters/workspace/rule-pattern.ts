import { foldName } from "./name-folding.ts";

/** The paths that one line of an ignore file matches: a pattern for each name of the path. */
export type RulePattern = readonly string[];

/** Any number of names. */
const ANY = "**";
/** Maximum length of a glob that is compared with patterns, in UTF-16 units. A longer one may match. */
const GLOB_MAX_CHARS = 1_000;

/** The patterns of an ignore file. Lines that make exceptions are left out. */
export function rulePatterns(text: string): readonly RulePattern[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const rule = line.trimEnd();
    if (rule === "" || /^[#!]/.test(rule)) return [];
    const names = fold(rule)
      .replace(/\\(.)/g, "$1")
      .replace(/\[[^\]/]*\]/g, "?")
      .replace(/(\/\*\*)*\/?$/, "")
      .split("/");
    if (names.length === 1) names.unshift(ANY);
    return [names.filter((name) => name !== "")];
  });
}

/** Whether a path that the glob matches, relative to the workspace, may match a pattern, or may be below such a path. */
export function mayMatch(patterns: readonly RulePattern[], glob: string): boolean {
  if (patterns.length === 0) return false;
  const names = fold(glob)
    .replace(/\[[^\]/]*\]/g, "?")
    .split("/");
  // What is above a path that is not known is not known.
  if (glob.length > GLOB_MAX_CHARS || names.includes("..")) return true;
  return patterns.some((pattern) => begins(pattern, names));
}

/** A glob relative to the workspace. Undefined if it matches no path in it. */
export function globFromRoot(root: string, glob: string): string | undefined {
  if (!glob.startsWith("/")) return glob;
  const names = glob.split("/").filter((name) => name !== "");
  const rootNames = root.split("/").filter((name) => name !== "");
  const differs = rootNames.findIndex((name, at) => names[at] !== name);
  if (differs < 0) return names.slice(rootNames.length).join("/");
  // A pattern in place of a folder above the workspace may lead into it.
  return names[differs] !== undefined && /[*?[]|^\.\.$/.test(names[differs]) ? ANY : undefined;
}

const fold = (text: string): string => foldName(text).toLowerCase();

/** Whether the pattern can match the first of these names, or all of them. */
const begins = (pattern: RulePattern, names: readonly string[]): boolean =>
  overlap(pattern, names, { any: ANY, isSame: namesOverlap }).some((isReached) => isReached);

const namesOverlap = (a: string, b: string): boolean =>
  overlap([...a], [...b], { any: "*", isSame: (x, y) => x === y || x === "?" || y === "?" }).at(-1) === true;

interface Matching {
  /** The item that matches any number of items. */
  readonly any: string;
  readonly isSame: (a: string, b: string) => boolean;
}

/** For each number of items of `b`: whether all of `a` can match these. */
function overlap(a: readonly string[], b: readonly string[], { any, isSame }: Matching): readonly boolean[] {
  let reached = [true, ...b.map(() => false)];
  for (let at = 0; at <= a.length; at += 1) {
    const item = a[at];
    const next: boolean[] = [false];
    for (const [index, other] of [...b, undefined].entries()) {
      const isReached = reached[index] === true;
      next[index] ||= isReached && (item === any || other === any);
      if (other === undefined) continue;
      reached[index + 1] ||= isReached && (item === any || other === any);
      next[index + 1] =
        isReached && item !== undefined && item !== any && other !== any && isSame(item, other);
    }
    if (item === undefined) return reached;
    reached = next;
  }
  return reached;
}
