// cspell:words clearenv tmpfs unshare userns
import { statSync } from "node:fs";
import path from "node:path";
import { type Access, accessTo, contains, RUNTIME, TEMPORARY } from "./accesses.ts";
import { type CommandFolders, commandEnv } from "./command-folders.ts";
import type { HeldFiles } from "./held-files.ts";

/**
 * New namespaces of every kind, and no way to create others. The command is the first process of its namespace: the others end
 * when it exits, and nothing else is waited for.
 */
const NAMESPACES: readonly string[] = [
  ...["--unshare-all", "--unshare-user", "--disable-userns", "--as-pid-1", "--die-with-parent"],
  ...["--cap-drop", "ALL"],
];

/** The root, devices and processes. The settings of the kernel are files in `/proc`, which root could write. */
const SYSTEM: readonly string[] = [
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"],
];

/** The arguments of a program that needs nothing. Its descriptor 3 is a folder, which older versions do not take. */
export const PROBE: readonly string[] = [...NAMESPACES, ...SYSTEM, "--ro-bind-fd", "3", RUNTIME];

/** The files that are mounted in place of others. */
export interface MountSources {
  readonly temporary: string;
  /** A folder and a file that nobody can read. */
  readonly deniedFolder: string;
  readonly deniedFile: string;
}

/** The arguments of `bwrap` before the program. What commands could replace by a link is mounted from `held` files. */
export function mountArguments(
  accesses: readonly Access[],
  sources: MountSources,
  held: HeldFiles,
): readonly string[] {
  const mounts = accesses.flatMap((access) => {
    const { path: at, level } = access;
    if (at === "/") return [];
    if (level === "own") return TEMPORARY.includes(at) ? ["--bind", sources.temporary, at] : ["--tmpfs", at];
    if (level === "none") return denied(access, accesses, sources);
    const option = level === "write" ? "--bind" : "--ro-bind";
    const isReplaceable = accessTo(accesses, path.dirname(at)) === "write";
    return isReplaceable ? [`${option}-fd`, String(held.hold(at)), at] : [option, at, at];
  });
  return [...NAMESPACES, ...SYSTEM, ...mounts];
}

/** A folder in which something can be accessed can be passed, but not be listed. */
function denied({ path: at }: Access, accesses: readonly Access[], sources: MountSources): readonly string[] {
  const isPassed = accesses.some((other) => other.path !== at && contains(at, other.path));
  if (isPassed) return ["--perms", "0111", "--tmpfs", at];
  const source =
    statSync(at, { throwIfNoEntry: false })?.isDirectory() === true
      ? sources.deniedFolder
      : sources.deniedFile;
  return ["--ro-bind", source, at];
}

/**
 * The arguments of `bwrap` before a shell with its own environment and some accesses, each folder before those in it. The network
 * is a loopback of its own. Processes end with the command.
 */
export function shellArguments(folders: CommandFolders, accesses: readonly Access[]): readonly string[] {
  const mounts = accesses.flatMap(({ path: at, level }) => {
    if (at === "/") return [];
    if (level === "own") return ["--tmpfs", at];
    return [level === "write" ? "--bind" : "--ro-bind", at, at];
  });
  const env = Object.entries(commandEnv(folders)).flatMap(([name, value]) => ["--setenv", name, value]);
  return [...NAMESPACES, ...SYSTEM, ...mounts, "--clearenv", ...env];
}
