import { opendir } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../tools/index.ts";
import { type Opened, openInside } from "./opened.ts";
import { fromRoot, type Place } from "./place.ts";
import { type Closed, gitignore, type Hidden } from "./rules.ts";
import { refuseClosed } from "./write.ts";

/** The most entries of one folder that are looked at. */
const ENTRIES_MAX = 20_000;
/** The most folders that one listing goes through. */
const FOLDERS_MAX = 5_000;

export interface ListOptions {
  readonly absolute: string;
  /** The path as the call gave it, for messages. */
  readonly named: string;
  readonly recursive: boolean;
  readonly limit: number;
  /** Names that no listing shows. */
  readonly hiddenNames: readonly string[];
}

interface Listing {
  readonly names: string[];
  cut: boolean;
}

interface Folder {
  readonly at: string;
  readonly hidden: Hidden;
}

/** What lies in a folder, breadth first; each folder is opened and checked on its own (L9). */
export async function listInside(
  place: Place,
  closed: Closed,
  options: ListOptions,
): Promise<{ readonly names: readonly string[]; readonly cut: boolean }> {
  await using top = await openInside(place, options.absolute, options.named);
  const base = fromRoot(place.root, top.real);
  refuseClosed(closed, base, options.named);
  if (!(await top.handle.stat()).isDirectory()) {
    throw new ToolError("not_a_folder", `'${options.named}' is not a folder: expected one. Read it instead.`);
  }
  const listing: Listing = { names: [], cut: false };
  const queue: Folder[] = [{ at: base, hidden: await hiddenAt(place, base, options.hiddenNames) }];
  let seen = 0;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    seen += 1;
    if (seen > FOLDERS_MAX) return { ...listing, cut: true };
    const entries = await entriesOf(place, next.at, next.at === base ? top : undefined);
    listing.cut ||= entries.cut;
    const folders = addNames(listing, entries, next, closed, options.limit);
    if (folders === undefined) return listing;
    if (!options.recursive) continue;
    for (const at of folders) queue.push({ at, hidden: await next.hidden.within(at) });
  }
  return listing;
}

/** Adds what may be shown. Gives the folders among it, or undefined where the listing is full. */
function addNames(
  listing: Listing,
  entries: Entries,
  { at, hidden }: Folder,
  closed: Closed,
  limit: number,
): readonly string[] | undefined {
  const folders: string[] = [];
  for (const { name, isFolder } of entries.found) {
    const relative = at === "" ? name : `${at}/${name}`;
    const shown = isFolder ? `${relative}/` : relative;
    if (closed.closes(relative) || hidden.hides(shown)) continue;
    if (listing.names.length >= limit) {
      listing.cut = true;
      return undefined;
    }
    listing.names.push(shown);
    if (isFolder) folders.push(relative);
  }
  return folders;
}

/** The rules that hold in a folder: those of every folder above it, down from the workspace. */
export async function hiddenAt(place: Place, folder: string, names: readonly string[]): Promise<Hidden> {
  let hidden = await gitignore(place, names).within("");
  const parts = folder === "" ? [] : folder.split("/");
  for (let depth = 1; depth <= parts.length; depth += 1) {
    hidden = await hidden.within(parts.slice(0, depth).join("/"));
  }
  return hidden;
}

interface Entries {
  readonly found: readonly { readonly name: string; readonly isFolder: boolean }[];
  readonly cut: boolean;
}

async function entriesOf(place: Place, folder: string, held: Opened | undefined): Promise<Entries> {
  if (held !== undefined) return entriesIn(held);
  try {
    await using opened = await openInside(place, path.join(place.root, folder), folder);
    // A symlink has taken the folder's place since it was named: it isn't followed.
    if (fromRoot(place.root, opened.real) !== folder) return { found: [], cut: false };
    return await entriesIn(opened);
  } catch (error) {
    // Gone, or closed to us: it stays named, and what is in it is left out, with a mark.
    if (error instanceof ToolError || error instanceof Error) return { found: [], cut: true };
    throw error;
  }
}

async function entriesIn(opened: Opened): Promise<Entries> {
  const found: { name: string; isFolder: boolean }[] = [];
  let cut = false;
  for await (const entry of await opendir(opened.via)) {
    if (found.length >= ENTRIES_MAX) {
      cut = true;
      break;
    }
    found.push({ name: entry.name, isFolder: entry.isDirectory() });
  }
  found.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { found, cut };
}
