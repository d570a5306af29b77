import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { type Access, contains, RUNTIME, realPath, sortedAccesses, TEMPORARY } from "./accesses.ts";
import { type CommandFolders, commandEnv } from "./command-folders.ts";

/** Folders that shells see empty, or not at all: homes of people, files of other programs, and the sockets of services. */
const HIDDEN = ["/home", "/root", "/Users", RUNTIME, ...TEMPORARY];

/**
 * The accesses of a shell that sees nothing of a person: the system can only be read, without homes and sockets of services; the
 * workspace and the home of the run can be written. Programs of the user, such as a Node.js in the home, still run.
 */
export function shellAccesses(folders: CommandFolders): readonly Access[] {
  const hidden = [...HIDDEN, homedir()]
    .filter((folder) => folder !== "/" && existsSync(folder))
    .map((folder): Access => ({ path: realPath(folder), level: "own" }));
  const isHidden = (file: string): boolean => hidden.some((folder) => contains(folder.path, file));
  const searched = (commandEnv(folders).PATH ?? "").split(path.delimiter).filter(path.isAbsolute);
  const programs = [...searched, process.execPath].map((file) => path.normalize(file)).filter(existsSync);
  return sortedAccesses([
    { path: "/", level: "read" },
    ...hidden,
    ...accessesTo(programs, "read").filter((access) => isHidden(access.path)),
    ...accessesTo([folders.workspace, folders.home], "write"),
  ]);
}

/** A path that leads through links is accessed by both its names. */
const accessesTo = (files: readonly string[], level: Access["level"]): readonly Access[] =>
  files.flatMap((file) => [file, realPath(file)].map((each): Access => ({ path: each, level })));
