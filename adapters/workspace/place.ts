import { readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";

/** The folder that everything must lie in, and how that is checked. */
export interface Place {
  /** Its real path. */
  readonly root: string;
  /**
   * `descriptors`: what was opened is checked, by /proc/self/fd. `paths`: the real path is checked before and
   * after opening; who changes a symlink twice in between is not seen.
   */
  readonly check: "descriptors" | "paths";
}

/** The check that this system can do. */
export async function checkOfSystem(): Promise<Place["check"]> {
  if (process.platform !== "linux") return "paths";
  return stat("/proc/self/fd").then(
    () => "descriptors" as const,
    () => "paths" as const,
  );
}

export function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

/** `real` as seen from the workspace, with forward slashes; empty for the workspace itself. */
export function fromRoot(root: string, real: string): string {
  return path.relative(root, real).split(path.sep).join("/");
}

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** How many dangling symlinks are followed before they count as going round. */
const HOPS_MAX = 40;

/**
 * The path that `absolute` really names, whether or not it exists: symlinks are followed as far as there are
 * any, also one that points to nothing yet. Undefined where they go round, or the system takes no such path.
 */
export async function realOf(absolute: string, hops = 0): Promise<string | undefined> {
  if (hops > HOPS_MAX || absolute.includes("\0")) return undefined;
  try {
    return await realpath(absolute);
  } catch (error) {
    if (codeOf(error) === "ELOOP") return undefined;
  }
  const target = await readlink(absolute).catch(() => undefined);
  if (target !== undefined) return realOf(path.resolve(path.dirname(absolute), target), hops + 1);
  const parent = path.dirname(absolute);
  if (parent === absolute) return absolute;
  const above = await realOf(parent, hops);
  return above === undefined ? undefined : path.join(above, path.basename(absolute));
}
