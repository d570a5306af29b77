import type { NamedPath } from "./named-path.ts";

/** The files that a tool may touch: every read and write of a tool goes through here (L9). */
export interface Workspace {
  /** The real path of the workspace's folder. */
  readonly root: string;
  /** What `path` really names. Throws nothing: a path outside says so. */
  resolve(path: string): Promise<NamedPath>;
  /** @throws ToolError `outside_workspace`, `ignored`, `not_found`, `not_a_file`, `too_large` */
  read(path: string): Promise<Uint8Array>;
  /**
   * Atomic (temporary file, fsync, rename); keeps the file's mode; makes missing folders inside.
   *
   * @throws ToolError `outside_workspace`, `ignored`, `not_a_file`, `not_a_folder`, `too_large`
   */
  write(path: string, content: string | Uint8Array): Promise<{ readonly created: boolean }>;
  /**
   * What lies in a folder, relative to the workspace, folders with a trailing slash, ignored ones left out,
   * bounded. Symlinks are named and not followed.
   *
   * @throws ToolError `outside_workspace`, `ignored`, `not_found`, `not_a_folder`
   */
  list(
    path: string,
    options: { readonly recursive: boolean; readonly limit: number },
  ): Promise<{ readonly names: readonly string[]; readonly cut: boolean }>;
  /**
   * Lines that match, by file. Symlinks are not followed; ignored and binary files are left out.
   *
   * @throws ToolError `bad_pattern`, and those of `list`
   */
  search(options: SearchOptions): Promise<SearchResult>;
}

export interface SearchOptions {
  /** A folder, or one file. */
  readonly path: string;
  /** In Rust's syntax. */
  readonly regex: string;
  /** A glob that files must match, such as `*.ts`. */
  readonly filePattern?: string;
  /** The most matching lines. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface SearchResult {
  readonly files: readonly FileMatches[];
  /** More lines match than were asked for. */
  readonly cut: boolean;
}

export interface FileMatches {
  /** Relative to the workspace. */
  readonly path: string;
  /** Matching lines and those around them, in order, each at most 500 characters. */
  readonly lines: readonly { readonly number: number; readonly text: string; readonly matches: boolean }[];
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
  /** @throws ToolError `not_found` where the working folder does not exist */
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
  /** Shows a further piece of what the call puts out; batched and bounded by whoever receives it. */
  readonly output: (text: string) => void;
}
