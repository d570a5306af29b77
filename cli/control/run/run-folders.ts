import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CommandFolders } from "../../../adapters/sandbox/command-folders.ts";
import { openShell, sandboxShell } from "../../../adapters/sandbox/sandbox.ts";
import type { SystemShell } from "../../../adapters/shell/shell.ts";

/** Where the commands of a run work. */
export interface RunFolders extends CommandFolders {
  /** The data folder of the host, which does not exist yet. */
  readonly data: string;
  readonly shell: SystemShell;
}

interface FolderOptions {
  readonly isSandboxed: boolean;
  /** Fills the workspace, which does not exist yet, and may fill the home, which is empty. */
  readonly fill: (folders: CommandFolders) => Promise<void>;
}

/**
 * Do work with new folders and a shell of their own, which are removed afterwards.
 *
 * @throws SandboxError `SANDBOX_MISSING`
 */
export async function withFolders<Result>(
  { isSandboxed, fill }: FolderOptions,
  work: (folders: RunFolders) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(path.join(tmpdir(), "signalbox-control-"));
  const folders = {
    workspace: path.join(root, "workspace"),
    home: path.join(root, "home"),
    programs: path.join(root, "programs"),
    data: path.join(root, "data"),
  };
  try {
    for (const folder of [folders.home, folders.programs]) await mkdir(folder);
    await fill(folders);
    const shell = await (isSandboxed ? sandboxShell(folders) : openShell(folders));
    try {
      return await work({ ...folders, shell });
    } finally {
      shell.close();
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
