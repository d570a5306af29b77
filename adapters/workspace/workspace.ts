import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type NamedPath, ToolError, type Workspace } from "../../tools/index.ts";
import { listInside } from "./list.ts";
import { openInside } from "./opened.ts";
import { checkOfSystem, fromRoot, isInside, type Place, realOf } from "./place.ts";
import { readOpened, tooLarge } from "./read.ts";
import { ROOIGNORE, rooignore } from "./rules.ts";
import { searchInside } from "./search.ts";
import { refuseClosed, writeInside } from "./write.ts";

export interface WorkspaceOptions {
  /** The most bytes of a file that is read or written. Default 20 MB. */
  readonly maxFileBytes?: number;
  /** Files and folders of these names are in no listing. Default `.git` and `node_modules`. */
  readonly hiddenNames?: readonly string[];
  /** How confinement is checked; by default the strictest way that the system knows. */
  readonly check?: Place["check"];
}

/**
 * The files under a folder, and nothing else (L9). On Linux what was opened is checked, and a file is made
 * through its checked folder, so that no symlink changed in between leads outside. Elsewhere real paths are
 * checked before and after opening: who changes a symlink within that time, twice, is not seen. Hard links
 * and mounts that lie inside are inside. `.rooignore` closes files and can't be written; `.gitignore` only
 * hides from listings and searches.
 *
 * @param root an existing folder; relative to the process's own
 * @throws ToolError `not_found`, `not_a_folder`
 */
export async function openWorkspace(root: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  const place: Place = { root: await folderAt(root), check: options.check ?? (await checkOfSystem()) };
  const maxBytes = options.maxFileBytes ?? 20_000_000;
  const hiddenNames = options.hiddenNames ?? [".git", "node_modules"];
  const rules = rooignore(place);
  const absoluteOf = (named: string): string => path.resolve(place.root, named);

  return {
    root: place.root,
    async resolve(named): Promise<NamedPath> {
      const absolute = absoluteOf(named);
      const real = await realOf(absolute);
      const inside = real !== undefined && isInside(place.root, real);
      const shown = isInside(place.root, absolute) ? fromRoot(place.root, absolute) || "." : named;
      const closed = await rules().catch(() => undefined);
      const ignored = inside && (closed === undefined || closed.closes(fromRoot(place.root, real)));
      return { path: shown, real: real ?? absolute, inside, ignored };
    },
    async read(named) {
      const closed = await rules();
      await using file = await openInside(place, absoluteOf(named), named);
      refuseClosed(closed, fromRoot(place.root, file.real), named);
      return await readOpened(place, file, named, maxBytes);
    },
    async write(named, content) {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      if (bytes.length > maxBytes) throw tooLarge(named, bytes.length, maxBytes);
      const closed = await rules();
      return writeInside(place, protecting(closed), { absolute: absoluteOf(named), named, bytes });
    },
    async list(named, { recursive, limit }) {
      const closed = await rules();
      return listInside(place, closed, { absolute: absoluteOf(named), named, recursive, limit, hiddenNames });
    },
    async search(search) {
      const closed = await rules();
      return searchInside(place, closed, absoluteOf(search.path), search, hiddenNames);
    },
  };
}

/** The rules themselves are no tool's to change: else any file could be opened by a write. */
function protecting(closed: { closes(relative: string): boolean }) {
  return { closes: (relative: string) => relative.toLowerCase() === ROOIGNORE || closed.closes(relative) };
}

async function folderAt(root: string): Promise<string> {
  const real = await realpath(root).catch(() => undefined);
  if (real === undefined) {
    throw new ToolError(
      "not_found",
      `The workspace '${root}' does not exist: expected a folder. Make it first.`,
    );
  }
  if (!(await stat(real)).isDirectory()) {
    throw new ToolError("not_a_folder", `The workspace '${root}' is a file: expected a folder.`);
  }
  return real;
}
