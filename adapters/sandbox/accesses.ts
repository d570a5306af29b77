import { lstatSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import { SandboxError } from "./error.ts";
import { absolutePath, KEYS, STARTERS, type TaskSandboxOptions } from "./options.ts";

/** The access of commands to a file, or to a folder with all below it. */
export interface Access {
  /** Its real path. Missing parts of it are as they were named. */
  readonly path: string;
  /** `own`: commands see a folder of their own in its place. */
  readonly level: "none" | "own" | "read" | "write";
  /** The option that denies more. */
  readonly deniedBy?: "denyRead" | "denyWrite" | "hidden";
}

/** Where commands see their temporary folder. */
export const TEMPORARY: readonly string[] = ["/tmp", "/var/tmp"];
/** The folder with the sockets of services. Commands see an empty one. */
export const RUNTIME = "/run";

/**
 * The accesses by path, each folder before those in it.
 *
 * @throws SandboxError `SANDBOX_LINK`
 */
export function accessesOf(options: TaskSandboxOptions, workspace: string): readonly Access[] {
  const { read = [], write = [], denyRead = [], denyWrite = [], hidden = [] } = options;
  const all = (level: Access["level"], paths: readonly string[]): readonly Access[] =>
    paths.map((given) => ({ level, path: realPath(absolutePath(given, workspace)) }));
  const permitted = sortedAccesses([
    ...all("read", ["/"]),
    ...all("own", [RUNTIME, ...TEMPORARY]),
    ...all("none", KEYS).filter(exists),
    ...all("read", STARTERS).filter(exists),
    // In a linked worktree it is a file that names the repository, and with it the hooks.
    ...all("read", [".git"]).filter(({ path: file }) => statOf(file)?.isFile() === true),
    ...[...all("read", [...read, process.execPath]), ...all("write", write)].filter(exists),
    ...all("write", [workspace]),
  ]);
  for (const given of denyWrite) assertNoLink(absolutePath(given, workspace), permitted);
  const denied = (
    level: Access["level"],
    deniedBy: NonNullable<Access["deniedBy"]>,
    paths: readonly string[],
  ) => all(level, paths).map((access) => ({ ...access, deniedBy }));
  return sortedAccesses([
    ...permitted,
    ...denied("read", "denyWrite", denyWrite).filter(
      ({ path: file }) => accessTo(permitted, file) === "write",
    ),
    ...denied("none", "denyRead", denyRead).filter(exists),
    ...denied("none", "hidden", hidden).filter(exists),
  ]);
}

/** The accesses with files that can't be read either, and with what keeps commands from replacing a folder of a denied file. */
export function withDenied(accesses: readonly Access[], files: readonly string[]): readonly Access[] {
  const all = sortedAccesses([...accesses, ...files.map((file): Access => ({ path: file, level: "none" }))]);
  return sortedAccesses([...all, ...pinsOf(all)]);
}

/** One access for each path, the last one; each folder before those in it. */
export const sortedAccesses = (accesses: readonly Access[]): readonly Access[] =>
  [...new Map(accesses.map((access) => [access.path, access])).values()].sort(
    (a, b) => a.path.length - b.path.length,
  );

/** The access to a path: the longest one that contains it decides. */
export const accessTo = (accesses: readonly Access[], file: string): Access["level"] =>
  decidingAccess(accesses, file)?.level ?? "read";

/** The access that decides about a path. */
export const decidingAccess = (accesses: readonly Access[], file: string): Access | undefined =>
  accesses.findLast((access) => contains(access.path, file));

/** Whether a path is a folder, or in it. */
export const contains = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/**
 * The folders between one that can be written and one in it that can't be. Mounted on themselves, they can't be renamed: a
 * command can't replace them by others.
 */
const pinsOf = (accesses: readonly Access[]): readonly Access[] =>
  accesses
    .filter(({ level }) => level !== "write")
    .flatMap((denied) => foldersAbove(denied.path))
    .filter(
      (folder) => accessTo(accesses, folder) === "write" && !accesses.some(({ path: at }) => at === folder),
    )
    .map((folder): Access => ({ path: folder, level: "write" }))
    .filter(exists);

/** The folders that a path is in, from the nearest to the root. */
export function foldersAbove(file: string): readonly string[] {
  const folder = path.dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
}

function assertNoLink(denied: string, accesses: readonly Access[]): void {
  const link = [denied, ...foldersAbove(denied)].find(
    (part) =>
      statOf(part)?.isSymbolicLink() === true && accessTo(accesses, realPath(path.dirname(part))) === "write",
  );
  if (link === undefined) return;
  throw new SandboxError(
    "SANDBOX_LINK",
    `sandbox.denyWrite: expected a path without symbolic links that a command could replace, but '${link}' of '${denied}' is one. Name the path that it leads to, and the folder of the link.`,
  );
}

export const exists = ({ path: file }: Pick<Access, "path">): boolean => statOf(file) !== undefined;

/** Undefined for a missing file, and for one below a file that is no folder, such as `.git` of a linked worktree. */
function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** The real path; of a missing file, in the real path of the nearest folder. */
export function realPath(file: string): string {
  try {
    // Not the other one: it keeps the case of a name as it was given, where the system ignores case.
    return realpathSync.native(file);
  } catch {
    // It is missing, or a link that leads to nothing.
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realPath(folder), path.basename(file));
  }
}
