import { type ShellOptions, type SystemShell, systemShell } from "../shell/shell.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import type { CommandFolders } from "./command-folders.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { envWords, writeLauncher } from "./launcher.ts";

type Options = Omit<ShellOptions, "program" | "env">;

/**
 * A shell whose commands run in a sandbox (Bubblewrap, Linux): they change only the workspace and their home, reach only a
 * loopback network of their own, and see no home of a person. Each command has a loopback and processes of its own, which end
 * with it. Its `program` runs the commands of a task in the same way.
 *
 * @throws SandboxError `SANDBOX_MISSING` where no sandbox can be created
 */
export async function sandboxShell(folders: CommandFolders, options: Options = {}): Promise<SystemShell> {
  const bubblewrap = await findBubblewrap();
  const program = await writeLauncher(folders, [bubblewrap, ...bubblewrapArguments(folders)]);
  return systemShell({ ...options, program });
}

/** A shell with the environment of {@link sandboxShell}, but without its protection. */
export async function openShell(folders: CommandFolders, options: Options = {}): Promise<SystemShell> {
  return systemShell({ ...options, program: await writeLauncher(folders, envWords(folders)) });
}
