import { opendir } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../tools/error.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import { type OpenPath, openInside } from "./open-path.ts";
import { assertAllowed, hidingRules, type IsDenied } from "./rules.ts";

/** Entries that are read of one folder. */
const ENTRIES_MAX = 20_000;
/** Folders that are read for one listing. */
const FOLDERS_MAX = 5_000;

export interface ListOptions {
  readonly absolute: string;
  /** The path as the call gave it, for messages. */
  readonly named: string;
  readonly recursive: boolean;
  readonly limit: number;
  readonly hiddenNames: readonly string[];
}

/** Lists a folder breadth first. Each folder is opened and checked on its own (L9). */
export async function listInside(
  confinement: Confinement,
  isDenied: IsDenied,
  { absolute, named, recursive, limit, hiddenNames }: ListOptions,
): Promise<{ readonly names: readonly string[]; readonly cut: boolean }> {
  await using top = await openInside(confinement, absolute, named);
  const base = fromRoot(confinement.root, top.real);
  assertAllowed(isDenied, base, named);
  if (!(await top.handle.stat()).isDirectory())
    throw new ToolError("NOT_A_FOLDER", `'${named}' is not a folder: expected one. Read it instead.`);
  const rulesOf = hidingRules(confinement, hiddenNames);
  const names: string[] = [];
  let cut = false;
  const folders = [base];
  for (const [index, folder] of folders.entries()) {
    if (index >= FOLDERS_MAX) return { names, cut: true };
    const isHidden = await rulesOf(folder);
    const entries = folder === base ? await entriesIn(top, folder) : await entriesOf(confinement, folder);
    cut ||= entries.cut;
    const found = entries.found.filter(({ name, shown }) => !isDenied(name) && !isHidden(shown));
    const listed = found.slice(0, limit - names.length);
    for (const { shown } of listed) names.push(shown);
    if (listed.length < found.length) return { names, cut: true };
    if (recursive) folders.push(...listed.filter(isFolder).map(({ name }) => name));
  }
  return { names, cut };
}

/** An entry of a folder. */
export interface Entry {
  /** Path relative to the workspace. */
  readonly name: string;
  /** The same, with a slash at the end of a folder. */
  readonly shown: string;
}

interface Entries {
  readonly found: readonly Entry[];
  readonly cut: boolean;
}

export const isFolder = ({ shown }: Entry): boolean => shown.endsWith("/");

/** The entries of a folder of the workspace, in the order of their names. */
export async function entriesOf(confinement: Confinement, folder: string): Promise<Entries> {
  try {
    await using opened = await openInside(confinement, path.join(confinement.root, folder), folder);
    // A symlink that has replaced the folder since is not followed.
    if (fromRoot(confinement.root, opened.real) !== folder) return { found: [], cut: false };
    return await entriesIn(opened, folder);
  } catch {
    // Removed or unreadable: the folder itself stays in the list, and the list is marked as cut.
    return { found: [], cut: true };
  }
}

async function entriesIn({ via }: OpenPath, folder: string): Promise<Entries> {
  const found: Entry[] = [];
  let cut = false;
  for await (const entry of await opendir(via)) {
    cut = found.length >= ENTRIES_MAX;
    if (cut) break;
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    found.push({ name, shown: entry.isDirectory() ? `${name}/` : name });
  }
  found.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { found, cut };
}
