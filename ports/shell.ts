/** The result of a command line, as a shell returns it. */
export interface CommandResult {
  /** stdout and stderr interleaved; too long output is cut with a mark. */
  readonly output: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  /** Path of the full output, if `output` was cut. */
  readonly fullOutputPath?: string;
  /** Id of the full output for `read_artifact`, if it is kept apart from this machine. Then it has no path. */
  readonly fullOutputId?: string;
  /** Whether a process that it started still runs. Its later output is not read. Default false. */
  readonly leavesProcess?: boolean;
  /** The process, if the shell can tell whether it runs. */
  readonly left?: LeftProcess;
}

/** The processes that a command left behind. */
export interface LeftProcess {
  isAlive(): boolean;
  /** Terminate them. */
  stop(): void;
}

/** Runs command lines. Aborting `signal` terminates the process tree within 5 s. */
export interface Shell {
  /** Path of the program that interprets command lines. A policy judges only command lines of a POSIX shell. */
  readonly program: string;
  /** Whether commands run in a sandbox, so that permission mode `auto` asks about none of them. Default false. */
  readonly isContained?: boolean;
  /** @throws ToolError `NOT_FOUND` if the working directory does not exist */
  run(options: {
    readonly command: string;
    readonly cwd: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly output: (text: string) => void;
    /** The tool call that runs it. Absent: no call does. */
    readonly callId?: string;
    /** For a command in the background: called with the id of its process, once that runs. */
    readonly started?: (pid: number) => void;
  }): Promise<CommandResult>;
}
