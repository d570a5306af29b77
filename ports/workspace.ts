import type { CallPath } from "../machines/tool-call/call.ts";

/** Identifies the content of a file: files with the same bytes have the same version. */
export type FileVersion = string;

/** The encoding of a text file. UTF-16 is recognized by its byte order mark. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** A path of a tool call, resolved. */
export interface ResolvedPath extends CallPath {
  /** Whether `.rooignore` denies access. */
  readonly ignored: boolean;
  /** The reason why access to every file is denied: the rules can't be read. Absent: they can. */
  readonly unreadableRules?: string;
}

/** A file with rules for the model, such as AGENTS.md. */
export interface RuleFile {
  /** Relative to the workspace, with forward slashes; absolute if it is the user's own. */
  readonly path: string;
  /** The subfolder that it applies to, relative to the workspace. Absent: the whole workspace. */
  readonly folder?: string;
  readonly text: string;
  /** Whether the file is longer than `text`. */
  readonly cut: boolean;
}

export interface WriteResult {
  /** Whether the file is new. */
  readonly created: boolean;
  /** Whether the file has another content than was sent: its editor changed it when it saved it. Default false. */
  readonly changed?: boolean;
  /** Other files whose names look like the name of a new file, each in quotes. Absent: none. */
  readonly alike?: readonly string[];
}

interface ChangeOptions {
  /**
   * The version that the file must have. Default: any. The check and the change are two operations: a change within
   * microseconds is not detected.
   */
  readonly expects?: FileVersion | undefined;
}

export interface WriteOptions extends ChangeOptions {
  /** The file whose mode and owner a new file gets, such as the one that is moved. A file that an editor saves has its own. */
  readonly modeOf?: string | undefined;
  /** The encoding of a text. Default: UTF-8. A file that an editor saves has its own. */
  readonly encoding?: TextEncoding | undefined;
}

interface PathOptions {
  /** Whether the path means only the file of exactly this name, such as one to create. Default false. */
  readonly exact?: boolean | undefined;
}

export interface GlobOptions {
  /** The folder to look in. */
  readonly path: string;
  /**
   * With `*`, `?`, `[...]`, `{a,b}` and `**`. One with a slash is for paths from the folder, one without for names at any
   * depth.
   */
  readonly pattern: string;
  /** Maximum number of files. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** File access of the tools. Every read and write of a tool goes through this port (L9). */
export interface Workspace {
  /** Real path of the workspace folder. */
  readonly root: string;
  /**
   * Resolve a path. Never throws: the result says whether the path is outside. A path that does not exist is resolved to
   * the only file whose name looks like it.
   */
  resolve(path: string, options?: PathOptions): Promise<ResolvedPath>;
  /**
   * Whether `.rooignore` may deny access to a path that matches a glob, or to one below it. Never rejects.
   *
   * @param glob with `*`, `?`, `[...]` and `**`; relative to the workspace, or absolute
   */
  mayIgnore(glob: string): Promise<boolean>;
  /**
   * Read a file; one with unsaved changes as its editor has it. As with `list`, `glob` and `search`, a path that does not
   * exist means the only file whose name looks like it: with another space, quote or dash, or composed letters.
   *
   * @throws ToolError `OUTSIDE_WORKSPACE`, `IGNORED`, `NOT_FOUND`, `NOT_A_FILE`, `TOO_LARGE`; `FAILED` if the editor does
   * not answer
   */
  read(path: string, options?: PathOptions): Promise<Uint8Array>;
  /**
   * Write a file atomically (temporary file, fsync, rename). Keeps its owner and mode, and creates missing folders. A file
   * that can't be replaced so is written in place, not atomically: one with several hard links, one that is mounted, one
   * whose owner would change, or one in a folder that can't be written. A text is saved through the editor if the
   * workspace has one that saves.
   *
   * @throws ToolError `OUTSIDE_WORKSPACE`, `IGNORED`, `NOT_A_FILE`, `NOT_A_FOLDER`, `TOO_LARGE`; `READ_ONLY` for a file
   * without permission to write; `CHANGED` if it has not the expected version; `FAILED` if the editor did not save it, or has unsaved changes that it would lose
   */
  write(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<WriteResult>;
  /**
   * Remove a file. Its folder stays; a symlink is not removed.
   *
   * @throws ToolError `OUTSIDE_WORKSPACE`, `IGNORED`, `NOT_FOUND`, `NOT_A_FILE`, `NOT_A_FOLDER`, `READ_ONLY`; `CHANGED` if it has not
   * the expected version; `FAILED` if the editor has unsaved changes that would be lost
   */
  remove(path: string, options?: ChangeOptions): Promise<void>;
  /**
   * Check that a file may be written or removed, without a change.
   *
   * @throws ToolError the codes of `write` and `remove`
   */
  assertChangeable(path: string, change: "write" | "remove"): Promise<void>;
  /**
   * When files last changed: their content, their attributes or their names. Paths that are outside, denied or can't be
   * checked are left out. Never rejects.
   *
   * @returns milliseconds since 1970, by the given path; undefined: there is no such file
   */
  changeTimes(paths: readonly string[]): Promise<ReadonlyMap<string, number | undefined>>;
  /**
   * List a folder: paths relative to the workspace, folders with a trailing slash, without ignored files. Symlinks are
   * listed, not followed.
   *
   * @throws ToolError `OUTSIDE_WORKSPACE`, `IGNORED`, `NOT_FOUND`, `NOT_A_FOLDER`
   */
  list(
    path: string,
    options: { readonly recursive: boolean; readonly limit: number },
  ): Promise<{ readonly names: readonly string[]; readonly cut: boolean }>;
  /**
   * Find the files that match a glob, the newest first: paths relative to the workspace, without ignored files and
   * symlinks. The time is linear in the number of files, whatever the pattern is.
   *
   * @throws ToolError `PATTERN_INVALID`, and the codes of `list`
   */
  glob(options: GlobOptions): Promise<{ readonly names: readonly string[]; readonly cut: boolean }>;
  /**
   * Read the project's rules: AGENTS.md, CLAUDE.md, .clinerules (a file or a folder) and .roo/rules, then AGENTS.md and
   * CLAUDE.md of subfolders, from the highest level to the deepest.
   */
  projectRules(): Promise<readonly RuleFile[]>;
  /**
   * Search files for matching lines. Symlinks and ignored files are skipped; files that match and can't be shown, and
   * those that can't be read, are named.
   *
   * @throws ToolError `PATTERN_INVALID`, and the codes of `list`
   */
  search(options: SearchOptions): Promise<SearchResult>;
}

export interface SearchOptions {
  /** A folder or a file. */
  readonly path: string;
  /** In Rust's regex syntax. */
  readonly regex: string;
  /** A glob that files must match, such as `*.ts`. */
  readonly filePattern?: string;
  /** Maximum number of matching lines. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The matches of a search, as a workspace returns them. */
export interface SearchResult {
  readonly files: readonly FileMatches[];
  /** Whether more lines match than `limit`. */
  readonly cut: boolean;
  /** Files that are not shown as they are, or were not searched. Absent: none. */
  readonly incomplete?: readonly IncompleteFile[];
}

/** A file whose matches are not, or not all, in a search result. */
interface IncompleteFile {
  /** Relative to the workspace. */
  readonly path: string;
  /** A clause, such as `it can't be read`. */
  readonly reason: string;
}

export interface FileMatches {
  /** Relative to the workspace. */
  readonly path: string;
  /** Matching lines and the lines around them, in order. Of a longer one: about 500 characters, with the match. */
  readonly lines: readonly { readonly number: number; readonly text: string; readonly matches: boolean }[];
}
