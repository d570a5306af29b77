// cspell:words clearenv tmpfs unshare userns
import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
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

/** Folders that are empty in a sandbox: homes of people, files of other programs, and the sockets of services. */
const HIDDEN = ["/home", "/root", RUNTIME, ...TEMPORARY];

/**
 * The arguments of `bwrap` before the command: the system is read-only, without homes and sockets of services; the workspace
 * and the home of the run can be written; the network is a loopback of its own. Processes end with the command.
 */
export function bubblewrapArguments(folders: CommandFolders): readonly string[] {
  const hidden = [...HIDDEN, homedir()].filter((folder) => folder !== "/" && existsSync(folder));
  const env = commandEnv(folders);
  // Programs of the user, such as a Node.js in the home, still run.
  const programs = (env.PATH ?? "").split(path.delimiter).filter((folder) => isWithin(hidden, folder));
  return [
    ...NAMESPACES,
    ...SYSTEM,
    ...[...new Set(hidden.map((folder) => realpathSync(folder)))]
      .sort()
      .flatMap((folder) => ["--tmpfs", folder]),
    ...programs.flatMap((folder) => ["--ro-bind-try", folder, folder]),
    ...[folders.workspace, folders.home].flatMap((folder) => ["--bind", folder, folder]),
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

const isWithin = (folders: readonly string[], folder: string): boolean =>
  path.isAbsolute(folder) && folders.some((parent) => !path.relative(parent, folder).startsWith(".."));
