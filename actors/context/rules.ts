import { constants } from "node:fs";
import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** A file of rules that a workspace brings along. */
export interface RuleFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Whether more stands in the file than is used. */
  readonly cut: boolean;
}

export interface RuleBounds {
  /** The most files. Default 50. */
  readonly files?: number;
  /** The most bytes of one file. Default 32,768. */
  readonly fileBytes?: number;
  /** The most bytes of all files. Default 131,072. */
  readonly totalBytes?: number;
}

/** Where rules are looked for: files, and folders whose markdown and text files are read in the order of their names. */
const PLACES = ["AGENTS.md", "CLAUDE.md", ".clinerules", ".roo/rules"];
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The rules that stand in a workspace: AGENTS.md, CLAUDE.md, .clinerules (a file or a folder) and .roo/rules/*.md.
 * Bounded. What a symlink leads to outside of the workspace is not read (L9), nor is anything but a plain file; one
 * file under two names is read once. A file that can't be read is in the list, and its text says why.
 */
export async function readRules(root: string, bounds: RuleBounds = {}): Promise<readonly RuleFile[]> {
  const { files = 50, fileBytes = 32_768, totalBytes = 131_072 } = bounds;
  const base = await realpath(root);
  const rules: RuleFile[] = [];
  const seen = new Set<string>();
  let left = totalBytes;
  for (const path of await candidates(base)) {
    if (rules.length === files || left <= 0) break;
    const real = await inside(base, path);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    const rule = await readRule(real, path, Math.min(fileBytes, left));
    if (rule === undefined) continue;
    left -= Buffer.byteLength(rule.text);
    rules.push(rule);
  }
  return rules;
}

async function candidates(base: string): Promise<readonly string[]> {
  const found = await Promise.all(
    PLACES.map(async (place) => {
      const names = await namesIn(base, place);
      if (names === undefined) return [place];
      return names
        .filter((name) => /\.(md|txt)$/i.test(name))
        .sort()
        .map((name) => `${place}/${name}`);
    }),
  );
  return found.flat();
}

/** The names in a folder of the workspace; undefined for what is no folder. */
async function namesIn(base: string, place: string): Promise<readonly string[] | undefined> {
  if ((await inside(base, place)) === undefined) return undefined;
  try {
    return await readdir(join(base, place));
  } catch {
    return undefined;
  }
}

/** The real path of a file, where there is one in the workspace. */
async function inside(base: string, path: string): Promise<string | undefined> {
  try {
    const real = await realpath(join(base, path));
    const way = relative(base, real);
    return way === ".." || way.startsWith(`..${sep}`) || way === real ? undefined : real;
  } catch {
    return undefined;
  }
}

async function readRule(real: string, path: string, maxBytes: number): Promise<RuleFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(real, READ_FLAGS);
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(maxBytes, stats.size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    // As a stream, so that half a character at the cut is left out.
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true }).trim();
    return text === "" ? undefined : { path, text, cut: stats.size > bytesRead };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { path, text: `(This file could not be read: ${why})`, cut: false };
  } finally {
    await handle?.close();
  }
}
