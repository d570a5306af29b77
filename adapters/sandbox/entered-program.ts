import type { HeldFiles } from "./held-files.ts";

/** A program with its arguments, as a process is started with it. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A program that starts in a sandbox. */
export interface EnteredProgram extends ProgramCall {
  /** The files that its process inherits. They are closed when it has started. */
  readonly held: HeldFiles;
  /** Resolves when its sandbox has started. Pending where that fails. */
  readonly entered: Promise<void>;
  /** Whether the processes that it leaves must be ended by a signal. Otherwise the sandbox ends them. */
  readonly leavesProcesses: boolean;
  /** Whether it has ended without a start, as a socket to hide vanished since the preparation. A new preparation is needed. */
  isOutdated(): boolean;
  /** Remove what was made for it, once it has ended. Returns a note on what it was kept from; undefined for nothing. */
  leave(output: string): Promise<string | undefined>;
}
