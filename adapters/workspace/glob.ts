import path from "node:path";
import type { GlobOptions } from "../../ports/workspace.ts";
import { ToolError } from "../../tools/error.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import { openInside } from "./open-path.ts";
import { ripgrep } from "./ripgrep.ts";
import { assertAllowed, createIsShown, type IsDenied } from "./rules.ts";

export interface GlobSearch extends GlobOptions {
  readonly absolute: string;
  readonly hiddenNames: readonly string[];
}

/**
 * Files that match a glob. Ripgrep finds their names; each is checked on its own, so that none is listed that is outside,
 * denied, or reached by a symlink (L9).
 */
export async function globInside(
  confinement: Confinement,
  isDenied: IsDenied,
  { absolute, path: named, pattern, limit, hiddenNames, signal }: GlobSearch,
): Promise<{ readonly names: readonly string[]; readonly cut: boolean }> {
  const glob = globFrom(absolute, pattern);
  await using folder = await openInside(confinement, absolute, named);
  const base = fromRoot(confinement.root, folder.real);
  assertAllowed(isDenied, base, named);
  if (!(await folder.handle.stat()).isDirectory())
    throw new ToolError("NOT_A_FOLDER", `'${named}' is not a folder: expected one. Name its folder.`);
  const isShown = createIsShown(confinement, base, hiddenNames);
  const args = ["--files", "--sortr=modified", `--glob=${glob}`];
  const names: string[] = [];
  for await (const file of parsePaths(ripgrep({ cwd: folder.via, what: "./", args, hiddenNames, signal }))) {
    const relative = path.posix.join(base, file);
    if (isDenied(relative) || !(await isShown(relative)) || !(await isThere(confinement, relative))) continue;
    if (names.length >= limit) return { names, cut: true };
    names.push(relative);
  }
  return { names, cut: false };
}

/** The glob from the folder. A model may give the absolute one. */
function globFrom(absolute: string, pattern: string): string {
  const folder = absolute.split(path.sep).join("/");
  const relative = pattern.startsWith(`${folder}/`) ? pattern.slice(folder.length + 1) : pattern;
  const glob = relative.replace(/^(\.\/)+/, "");
  if (glob !== "" && !glob.startsWith("!") && !/[\0\n]|(^|\/)\.\.(\/|$)/.test(glob)) return glob;
  throw new ToolError(
    "PATTERN_INVALID",
    `Expected a glob such as '**/*.ts', without '..' and without '!' at its start, received '${pattern.slice(0, 200)}'. Name another folder with path.`,
  );
}

/** Parses paths that each end with a NUL. */
async function* parsePaths(output: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of output) {
    const paths = (rest + chunk).split("\0");
    rest = paths.pop() ?? "";
    for (const each of paths) yield each.replace(/^\.\//, "");
  }
}

/** Whether the file is still there, and no symlink leads to it. */
async function isThere(confinement: Confinement, relative: string): Promise<boolean> {
  try {
    await using file = await openInside(confinement, path.join(confinement.root, relative), relative);
    return fromRoot(confinement.root, file.real) === relative;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}
