import { type ShellOptions, type SystemShell, systemShell } from "../shell/shell.ts";
import { type CommandFolders, ENV, envArguments } from "./command-folders.ts";
import { writeLauncher } from "./launcher.ts";
import { proveConfinement } from "./proof.ts";
import { meansOf, THIS_SYSTEM } from "./system.ts";

type Options = Omit<ShellOptions, "program" | "env">;

/**
 * A shell whose commands run in a sandbox: they change only the workspace and their home, reach no network but, on Linux, a loopback
 * of their own, and see no home of a person. On Linux each command sees only its own processes, which end with it. Its `program`
 * runs the commands of a task in the same way.
 *
 * @throws SandboxError `SANDBOX_MISSING` where no sandbox can be created; `SANDBOX_PROBE`
 */
export async function sandboxShell(
  folders: CommandFolders,
  options: Options = {},
  system = THIS_SYSTEM,
): Promise<SystemShell> {
  const confinement = await meansOf(system).confineShell(folders);
  await proveConfinement(confinement);
  const program = await writeLauncher(folders, [confinement.program, ...confinement.args]);
  return systemShell({ ...options, program });
}

/** A shell with the environment of {@link sandboxShell}, but without its protection. */
export async function openShell(folders: CommandFolders, options: Options = {}): Promise<SystemShell> {
  return systemShell({
    ...options,
    program: await writeLauncher(folders, [ENV, ...envArguments(folders)]),
  });
}
