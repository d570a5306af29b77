import { openWorkspace } from "../../adapters/workspace/workspace.ts";
import type { RunPorts } from "../../tools/index.ts";

/** The ports of a call that runs no command. */
export const runPorts = async (workspace = "."): Promise<RunPorts> => ({
  workspace: await openWorkspace(workspace),
  shell: { program: "/bin/sh", run: () => Promise.reject(new Error("no shell")) },
  signal: new AbortController().signal,
  output: () => {},
  progress: () => {},
});
