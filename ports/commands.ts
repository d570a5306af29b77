import type { CommandResult } from "./shell.ts";

/** The new output of a command since the last read, and its end. */
export interface CommandReport {
  /** The command line. */
  readonly command: string;
  /** The end of the new output. */
  readonly output: string;
  /** Characters of new output before it: they are not kept. */
  readonly cutChars: number;
  /** Whether `matches` was true of its output. */
  readonly isMatched: boolean;
  /** Absent: it runs. */
  readonly end?: CommandResult;
}

export interface CommandWait {
  /** Longest wait for its end, or for a match, in milliseconds. Zero reads what there is. */
  readonly timeoutMs: number;
  /**
   * Whether the wait ends with this output. Called when there is more, with whole lines from the first one that may be new;
   * the last line may grow.
   */
  readonly matches?: ((output: string) => boolean) | undefined;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** The commands of a task that this process started, by the ids of their calls: running ones, and some that have ended. */
export interface Commands {
  /** Ids of those that run. */
  readonly running: readonly string[];
  /** Read what is new, or wait until there is something to read. Undefined: the id is unknown. */
  read(id: string, wait: CommandWait): Promise<CommandReport | undefined>;
  /** Terminate a command with its process tree, and read what is new. Undefined: the id is unknown. */
  stop(id: string, signal: AbortSignal): Promise<CommandReport | undefined>;
}
