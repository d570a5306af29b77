import type { NamedPath } from "./tool.ts";

/** The files that a tool may touch: every read and write of a tool goes through here (L9). */
export interface Workspace {
  /** The real path of the workspace's folder. */
  readonly root: string;
  /** What `path` really names. Throws nothing: a path outside says so. */
  resolve(path: string): Promise<NamedPath>;
  /** @throws ToolError `outside_workspace`, `ignored`, `not_found`, `not_a_file`, `too_large` */
  read(path: string): Promise<Uint8Array>;
  /** Atomic (temporary file, fsync, rename); keeps the file's mode; makes missing folders inside. */
  write(path: string, content: string | Uint8Array): Promise<{ readonly created: boolean }>;
  /** Names in a folder, folders with a trailing slash, ignored ones left out, bounded. */
  list(
    path: string,
    options: { readonly recursive: boolean; readonly limit: number },
  ): Promise<{ readonly names: readonly string[]; readonly cut: boolean }>;
}

export interface CommandEnd {
  /** stdout and stderr as they came, bounded, with a marked cut. */
  readonly output: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  /** Where the whole output lies, if it was cut. */
  readonly wholeOutput?: string;
}

/** Runs command lines. Aborting `signal` ends the whole process tree within 5 s. */
export interface Shell {
  run(options: {
    readonly command: string;
    readonly cwd: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly output: (text: string) => void;
  }): Promise<CommandEnd>;
}

export interface DescribePorts {
  readonly workspace: Workspace;
}

export interface RunPorts extends DescribePorts {
  readonly shell: Shell;
  readonly signal: AbortSignal;
  /** Shows what the call has put out so far; batched by whoever receives it. */
  readonly output: (text: string) => void;
}
