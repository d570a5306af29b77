import { type ChildProcess, spawn } from "node:child_process";
import type { CommandSandbox } from "../sandbox/command-sandbox.ts";
import type { ProgramCall } from "../sandbox/entered-program.ts";
import { COMMAND_MARK } from "./process-tree.ts";

/** Most starts of one program. Each start fails if a socket to hide vanishes between its listing and its mount. */
const STARTS_MAX = 5;

/**
 * Start a program until its sandbox starts. `start` resolves with undefined if the sandbox must be prepared again.
 *
 * @throws the error of `failed` after `STARTS_MAX` starts
 */
export async function startUntilEntered<T>(
  start: () => Promise<T | undefined>,
  failed: (cause: Error) => Error,
): Promise<T> {
  for (let starts = 0; starts < STARTS_MAX; starts += 1) {
    const started = await start();
    if (started !== undefined) return started;
  }
  throw failed(
    new Error(
      `Its sandbox failed to start ${STARTS_MAX} times: each time a socket to hide from it vanished. Try again, or find the program that removes its sockets.`,
    ),
  );
}

/** Its stdin, stdout and stderr. */
export type Streams = readonly ["ignore" | "pipe", "pipe", "ignore" | "pipe"];

/** A process that can be started once. */
export interface ReadyProcess {
  /** Start it. It leads a process group. */
  start(streams: Streams): ChildProcess;
  /** Resolves when its sandbox, if any, has started. Pending where that fails. */
  readonly entered: Promise<void>;
  /** Whether a sandbox did not end the processes that it leaves. */
  readonly leavesProcesses: boolean;
  /** Whether it has ended without a start, as what its sandbox hides has changed since the preparation: prepare it again. */
  isOutdated(): boolean;
  /** Remove what was made for it, once it has ended. Returns a note on what a sandbox kept it from; undefined for nothing. */
  leave(output: string): Promise<string | undefined>;
}

/**
 * Prepare a process that runs a command of a model, a hook or an MCP server: here it is decided whether it runs in a sandbox.
 * `mark` is in its environment.
 *
 * @throws SandboxError
 */
export async function prepareProcess(
  call: ProgramCall,
  mark: string,
  sandbox: CommandSandbox | undefined,
): Promise<ReadyProcess> {
  const entered = await sandbox?.enter(call);
  const { program, args, cwd, env } = entered ?? call;
  return {
    start(streams) {
      const stdio = [...streams, ...(entered?.held.descriptors ?? [])];
      const options = { cwd, env: { ...env, [COMMAND_MARK]: mark }, detached: true, stdio };
      try {
        return spawn(program, [...args], options);
      } finally {
        entered?.held.close();
      }
    },
    entered: entered?.entered ?? Promise.resolve(),
    leavesProcesses: entered?.leavesProcesses === true,
    isOutdated: () => entered?.isOutdated() === true,
    leave: async (output) => entered?.leave(output),
  };
}
