import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { RuleFile } from "../../tools/index.ts";
import { isInside } from "./confinement.ts";

export interface RuleLimits {
  /** Maximum number of files. Default 50. */
  readonly files?: number;
  /** Maximum bytes of one file. Default 32,768. */
  readonly fileBytes?: number;
  /** Maximum bytes of all files. Default 131,072. */
  readonly totalBytes?: number;
}

/** Rule files, and folders whose `.md` and `.txt` files are rules, in the order of their names. */
const PLACES = ["AGENTS.md", "CLAUDE.md", ".clinerules", ".roo/rules"];
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads the rule files of a workspace. A symlink that leads outside is not followed (L9), and only regular files are
 * read, each file once. The text of a file that can't be read gives the reason.
 *
 * @param root real path of the workspace
 */
export async function readProjectRules(
  root: string,
  { files = 50, fileBytes = 32_768, totalBytes = 131_072 }: RuleLimits = {},
): Promise<readonly RuleFile[]> {
  const rules: RuleFile[] = [];
  const seen = new Set<string>();
  let left = totalBytes;
  for (const named of (await Promise.all(PLACES.map((place) => pathsAt(root, place)))).flat()) {
    if (rules.length === files || left <= 0) break;
    const real = await realPathInside(root, named);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    const rule = await readRule(real, named, Math.min(fileBytes, left));
    if (rule === undefined) continue;
    left -= Buffer.byteLength(rule.text);
    rules.push(rule);
  }
  return rules;
}

async function pathsAt(root: string, place: string): Promise<readonly string[]> {
  const folder = await realPathInside(root, place);
  const names = folder === undefined ? undefined : await readdir(folder).catch(() => undefined);
  if (names === undefined) return [place];
  return names
    .filter((name) => /\.(md|txt)$/i.test(name))
    .sort()
    .map((name) => `${place}/${name}`);
}

async function realPathInside(root: string, named: string): Promise<string | undefined> {
  const real = await realpath(path.join(root, named)).catch(() => undefined);
  return real !== undefined && isInside(root, real) ? real : undefined;
}

async function readRule(real: string, named: string, maxBytes: number): Promise<RuleFile | undefined> {
  try {
    await using handle = await open(real, READ_FLAGS);
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(maxBytes, stats.size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    // In stream mode, a character that is split by the limit is dropped.
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true }).trim();
    return text === "" ? undefined : { path: named, text, cut: stats.size > bytesRead };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { path: named, text: `(This file could not be read: ${reason})`, cut: false };
  }
}
