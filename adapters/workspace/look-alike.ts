import { lstat } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../tools/error.ts";
import { type Confinement, fromRoot, isInside } from "./confinement.ts";
import { entriesOf } from "./list.ts";
import { foldName, hasFoldedCharacters } from "./name-folding.ts";
import type { IsDenied } from "./rules.ts";

/** Names that an error has. */
const NAMED_MAX = 5;

/** The file or folder that a path means. */
interface Located {
  readonly absolute: string;
  /** Paths, relative to the workspace, that look like a path that does not exist, if they are several. */
  readonly alike: readonly string[];
}

/**
 * Finds the file or folder that a path means: the one with this name, else the only one whose name looks like it. Each name of
 * the path is looked up in a checked folder (L9); what is denied is never found.
 */
export async function locate(
  confinement: Confinement,
  isDenied: IsDenied,
  absolute: string,
): Promise<Located> {
  const { root } = confinement;
  const unchanged = { absolute, alike: [] };
  if (!isInside(root, absolute) || absolute.includes("\0") || (await exists(absolute))) return unchanged;
  let at = root;
  const names = path.relative(root, absolute).split(path.sep);
  for (const [index, name] of names.entries()) {
    const exact = path.join(at, name);
    if (await exists(exact)) {
      at = exact;
      continue;
    }
    const found = await namesAlike(confinement, isDenied, at, name);
    const [only] = found;
    if (only === undefined) return unchanged;
    if (found.length > 1) {
      const rest = names.slice(index + 1);
      const base = fromRoot(root, at);
      return { absolute, alike: found.map((each) => path.posix.join(base, each, ...rest)) };
    }
    at = path.join(at, only);
  }
  return { absolute: at, alike: [] };
}

/** The paths, relative to the workspace, of other files in the folder whose names look like the file's. */
export async function othersAlike(
  confinement: Confinement,
  isDenied: IsDenied,
  absolute: string,
): Promise<readonly string[]> {
  const folder = path.dirname(absolute);
  const name = path.basename(absolute);
  const found = await namesAlike(confinement, isDenied, folder, name);
  return found
    .filter((each) => each !== name)
    .map((each) => path.posix.join(fromRoot(confinement.root, folder), each));
}

async function namesAlike(
  confinement: Confinement,
  isDenied: IsDenied,
  folder: string,
  name: string,
): Promise<readonly string[]> {
  const wanted = foldName(name);
  const { found } = await entriesOf(confinement, fromRoot(confinement.root, folder));
  return found
    .filter((entry) => !isDenied(entry.name))
    .map((entry) => path.posix.basename(entry.name))
    .filter((each) => foldName(each) === wanted);
}

const exists = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  );

/** The error for a path that several look like. */
export function notUnique(named: string, alike: readonly string[], cause: unknown): ToolError {
  return new ToolError(
    "NOT_FOUND",
    `'${named}' does not exist. Did you mean ${alike.slice(0, NAMED_MAX).map(nameShown).join(" or ")}? Send one of these names, exactly.`,
    { cause },
  );
}

/** A name, and its characters that look like others. */
export function nameShown(name: string): string {
  const odd = [...new Set([...name].filter(hasFoldedCharacters))].map(
    (character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return odd.length === 0 ? `'${name}'` : `'${name}' (with ${odd.slice(0, NAMED_MAX).join(", ")})`;
}
