// cspell:words clearenv tmpfs unshare
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { type CommandFolders, commandEnv } from "./command-folders.ts";

/** Folders that are empty in a sandbox: homes of people, files of other programs, and the sockets of services. */
const HIDDEN = ["/home", "/root", "/run", "/tmp", "/var/tmp"];

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
    // The command is the first process of its namespace: the others end when it exits, and nothing else is waited for.
    ...["--unshare-all", "--as-pid-1", "--die-with-parent", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
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
