import { readdir } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import { SettingsError } from "../error.ts";
import { readTextFile } from "../text-file.ts";

/** Maximum bytes of a command file. */
export const COMMAND_BYTES_MAX = 65_536;
/** Maximum files of one folder of commands, and folders in one another. */
const FILES_MAX = 200;
const DEPTH_MAX = 4;

/** The command files of a folder as they were read once. */
export interface CommandTexts {
  /** By their paths relative to `base`, with slashes, sorted. */
  readonly texts: Readonly<Record<string, string>>;
  /** The reasons why files were left out: a line each, with the path. */
  readonly problems: readonly string[];
}

/**
 * Read the `*.md` files below `base/folder`. One that can't be used is a problem, and the others are read. `isConfined`:
 * a symlink to a file outside `base` can't be used.
 */
export async function readCommandTexts(
  base: string,
  folder: string,
  { isConfined }: { readonly isConfined: boolean },
): Promise<CommandTexts> {
  const { files, problems } = await filesBelow(base, folder, 1);
  const left = files.slice(FILES_MAX);
  if (left.length > 0)
    problems.push(`${folder}: expected at most ${FILES_MAX} files, received ${files.length}. Remove some.`);
  const texts: Record<string, string> = {};
  for (const file of files.slice(0, FILES_MAX)) {
    try {
      const options = { ...(isConfined && { inside: base }), maxBytes: COMMAND_BYTES_MAX };
      const text = await readTextFile(path.join(base, file), options);
      if (text !== undefined) texts[file] = text;
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(error.message.replace(path.join(base, file), file));
    }
  }
  return { texts, problems };
}

/** Folders that are symlinks are not followed. */
async function filesBelow(
  base: string,
  folder: string,
  depth: number,
): Promise<{ readonly files: readonly string[]; readonly problems: string[] }> {
  const files: string[] = [];
  const problems: string[] = [];
  const entries = await readdir(path.join(base, folder), { withFileTypes: true }).catch((error: unknown) => {
    // The folder is optional.
    if (!["ENOENT", "ENOTDIR"].includes(systemCode(error)))
      problems.push(`${folder}: expected a readable folder, received ${systemCode(error)}. Correct it.`);
    return [];
  });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) {
      if (entry.name.endsWith(".md")) files.push(name);
    } else if (depth === DEPTH_MAX)
      problems.push(`${name}: expected at most ${DEPTH_MAX} folders in one another. Move it up.`);
    else {
      const inner = await filesBelow(base, name, depth + 1);
      files.push(...inner.files);
      problems.push(...inner.problems);
    }
    if (files.length > FILES_MAX) break;
  }
  return { files, problems };
}
