import { readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";

/** The folder that every path must be inside, and how that is checked. */
export interface Confinement {
  /** Its real path. */
  readonly root: string;
  /**
   * `descriptors`: the opened file is checked, by /proc/self/fd. `paths`: the real path is checked before and after
   * opening; a symlink that is changed twice in between is not detected.
   */
  readonly check: "descriptors" | "paths";
}

/** The strictest check that this system supports. */
export async function strictestCheck(): Promise<Confinement["check"]> {
  const hasDescriptors = process.platform === "linux" && (await stat("/proc/self/fd").catch(() => undefined));
  return hasDescriptors ? "descriptors" : "paths";
}

export function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

/** `real` relative to the workspace, with forward slashes; empty for the workspace itself. */
export function fromRoot(root: string, real: string): string {
  return path.relative(root, real).split(path.sep).join("/");
}

/** Dangling symlinks that are followed before they count as a cycle. */
const HOPS_MAX = 40;

/**
 * The real path of `absolute`, whether or not it exists: all symlinks are followed, also dangling ones. Undefined for
 * a cycle, and for a path that the system rejects.
 */
export async function realPathOf(absolute: string, hops = 0): Promise<string | undefined> {
  if (hops > HOPS_MAX || absolute.includes("\0")) return undefined;
  try {
    return await realpath(absolute);
  } catch (error) {
    if (systemCode(error) === "ELOOP") return undefined;
  }
  const target = await readlink(absolute).catch(() => undefined);
  if (target !== undefined) return realPathOf(path.resolve(path.dirname(absolute), target), hops + 1);
  const parent = path.dirname(absolute);
  if (parent === absolute) return absolute;
  const realParent = await realPathOf(parent, hops);
  return realParent === undefined ? undefined : path.join(realParent, path.basename(absolute));
}
