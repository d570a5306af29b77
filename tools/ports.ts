import type { Artifact } from "../machines/conversation/index.ts";
import type { ElicitationAnswer, ElicitationRequest, ProgressStatus } from "../machines/message/index.ts";
import type { CallPath } from "../machines/tool-call/index.ts";
import type { Browser } from "./browser-port.ts";
import type { FileVersion } from "./file-version.ts";
import type { TextEncoding } from "./text-encoding.ts";

/** A path of a tool call, resolved. */
export interface ResolvedPath extends CallPath {
  /** Whether `.rooignore` denies access. */
  readonly ignored: boolean;
  /** Why access to every file is denied: the rules can't be read. Absent: they can. */
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

export interface ChangeOptions {
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

export interface PathOptions {
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
   * @throws ToolError `outside_workspace`, `ignored`, `not_found`, `not_a_file`, `too_large`; `failed` if the editor does
   * not answer
   */
  read(path: string, options?: PathOptions): Promise<Uint8Array>;
  /**
   * Write a file atomically (temporary file, fsync, rename). Keeps its owner and mode, and creates missing folders. A file
   * that can't be replaced so is written in place, not atomically: one with several hard links, one that is mounted, one
   * whose owner would change, or one in a folder that can't be written. A text is saved through the editor if the
   * workspace has one that saves.
   *
   * @throws ToolError `outside_workspace`, `ignored`, `not_a_file`, `not_a_folder`, `too_large`; `read_only` for a file
   * without permission to write; `changed` if it has not the expected version; `failed` if the editor did not save it, or has unsaved changes that it would lose
   */
  write(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<WriteResult>;
  /**
   * Remove a file. Its folder stays; a symlink is not removed.
   *
   * @throws ToolError `outside_workspace`, `ignored`, `not_found`, `not_a_file`, `not_a_folder`, `read_only`; `changed` if it has not
   * the expected version; `failed` if the editor has unsaved changes that would be lost
   */
  remove(path: string, options?: ChangeOptions): Promise<void>;
  /**
   * Check that a file may be written or removed, without a change.
   *
   * @throws ToolError those of `write` and `remove`
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
   * @throws ToolError `outside_workspace`, `ignored`, `not_found`, `not_a_folder`
   */
  list(
    path: string,
    options: { readonly recursive: boolean; readonly limit: number },
  ): Promise<{ readonly names: readonly string[]; readonly cut: boolean }>;
  /**
   * Find the files that match a glob, the newest first: paths relative to the workspace, without ignored files and
   * symlinks. The time is linear in the number of files, whatever the pattern is.
   *
   * @throws ToolError `bad_pattern`, and those of `list`
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
   * @throws ToolError `bad_pattern`, and those of `list`
   */
  search(options: SearchOptions): Promise<SearchResult>;
}

/** Instructions for one kind of work, in a folder with a `SKILL.md`. */
export interface Skill {
  /** At most 64 characters. */
  readonly name: string;
  /** In one line. */
  readonly description: string;
}

/** A `SKILL.md`, or a folder of skills, that can't be used. */
export interface InvalidSkill {
  readonly path: string;
  /** In one line. */
  readonly reason: string;
}

export interface SkillList {
  readonly skills: readonly Skill[];
  readonly invalid: readonly InvalidSkill[];
  /** Whether there are more than the limit. */
  readonly cut: boolean;
}

export interface SkillContent {
  /** Of its `SKILL.md`: relative to the workspace, or absolute. */
  readonly path: string;
  /** The text after the front matter. */
  readonly body: string;
  /** The other files in its folder, with paths as `path`. */
  readonly files: readonly string[];
  /** Whether it has more files. */
  readonly cut: boolean;
  /** Whether it is in the workspace, so that the tools can read its files. */
  readonly inside: boolean;
}

/** The skills of a task. They are read by name, never by path (L9). */
export interface Skills {
  /** Find the skills. Never rejects: a skill that can't be used is in the list of invalid ones. */
  list(): Promise<SkillList>;
  /** @throws ToolError `not_found` if no skill has the name */
  read(name: string): Promise<SkillContent>;
}

/** The tool results of a task's conversation. */
export interface Artifacts {
  /** Returns the result of the call with this id; undefined if the conversation has none. */
  read(id: string): Artifact | undefined;
}

/** A part of a file that an index found. */
export interface CodebaseMatch {
  /** Relative to the workspace, or absolute. */
  readonly path: string;
  /** Counted from 1. */
  readonly startLine: number;
  readonly endLine: number;
  /** From 0 to 1: how well it fits the query. */
  readonly score: number;
  readonly text: string;
}

/** An index that finds code by its meaning. */
export interface CodebaseIndex {
  /**
   * Find code, the best first. Results outside the workspace, and those that `.rooignore` denies, are left out.
   *
   * @param options.path the folder that results must be in, relative to the workspace; undefined: any
   * @param options.signal aborts when the call is stopped, or takes longer than the limit
   */
  search(options: {
    readonly query: string;
    readonly path?: string | undefined;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<readonly CodebaseMatch[]>;
  /** Timeout of a search, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
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

export interface SearchResult {
  readonly files: readonly FileMatches[];
  /** Whether more lines match than `limit`. */
  readonly cut: boolean;
  /** Files that are not shown as they are, or were not searched. Absent: none. */
  readonly incomplete?: readonly IncompleteFile[];
}

/** A file whose matches are not, or not all, in a search result. */
export interface IncompleteFile {
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

export interface CommandResult {
  /** stdout and stderr interleaved; too long output is cut with a mark. */
  readonly output: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  /** Path of the full output, if `output` was cut. */
  readonly fullOutputPath?: string;
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
  /** Path of the program that interprets command lines. A policy judges only those of a POSIX shell. */
  readonly program: string;
  /** @throws ToolError `not_found` if the working directory does not exist */
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

/** What is new of a command since it was read last. */
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

export interface DescribePorts {
  readonly workspace: Workspace;
}

/** A place in a trace, as W3C Trace Context has it, to continue the trace in another service. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export interface RunPorts extends DescribePorts {
  readonly shell: Shell;
  /** Absent: the task has no skills. */
  readonly skills?: Skills | undefined;
  /** Absent: all results are sent whole. */
  readonly artifacts?: Artifacts | undefined;
  /** Absent: a command can't be read or stopped by another call. */
  readonly commands?: Commands | undefined;
  /** Let the command of this call continue in the background, unless it ends very soon. Absent: it can't. */
  readonly continueInBackground?: (() => void) | undefined;
  /** Absent: the task has no index. */
  readonly codebaseIndex?: CodebaseIndex | undefined;
  /** Absent: the task has no browser. */
  readonly browser?: Browser | undefined;
  /** The `base` of the description that a person approved. Absent: no person did, or it has none. */
  readonly base?: string | undefined;
  /** The trace context of this call now. Absent: the host has none. */
  readonly traceContext?: (() => TraceContext | undefined) | undefined;
  readonly signal: AbortSignal;
  /** Report a chunk of output. The caller batches and bounds it. */
  readonly output: (text: string) => void;
  /**
   * Show a status at the call's message, in place of the last one; `{}` removes it. The caller joins statuses that come
   * quickly, and drops one that is too long or comes after the call's end. The model does not get it.
   */
  readonly progress: (status: ProgressStatus) => void;
  /**
   * Ask the user for input, and wait for the answer. Requests are answered one after the other. Absent: the tool does not
   * say that it `elicits`.
   *
   * @throws ToolError `bad_arguments` for a request that is not valid; `failed` when the call was stopped, or more than 8
   * requests wait
   */
  readonly elicit?: ((request: ElicitationRequest) => Promise<ElicitationAnswer>) | undefined;
}
