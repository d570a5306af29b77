import type { EditorLimits } from "./editor-limits.ts";
import type { CommandResult, Shell } from "./shell.ts";

/** A file that is open in the editor. */
export interface OpenFile {
  /** Relative to the workspace, or absolute. */
  readonly path: string;
  /** Whether the user sees it, in an editor pane. Default false. */
  readonly visible?: boolean | undefined;
  /** Whether it has changes that are not saved. Default false. */
  readonly unsaved?: boolean | undefined;
}

/** A terminal of the editor. */
export interface EditorTerminal {
  readonly name: string;
  /** The command that runs in it. Absent: none. */
  readonly command?: string | undefined;
  /** The output so far, or its end. Control sequences are removed. */
  readonly output?: string | undefined;
}

/** A problem that the editor shows. */
export interface Diagnostic {
  /** Relative to the workspace, or absolute. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly message: string;
}

/** A command line for a terminal of the editor. */
export interface TerminalCommand extends Omit<Parameters<Shell["run"]>[0], "started"> {
  readonly taskId: string;
  /** The tool call that runs it: unique in its task. */
  readonly callId: string;
  /** Path of the program that interprets it, after `-c`. */
  readonly program: string;
  /** Environment variables that it must not see. */
  readonly withheldEnv: readonly string[];
}

type Awaitable<T> = T | Promise<T>;

/**
 * The editor that a task runs in. Every member is optional and may return a promise. A member that throws, rejects or
 * does not answer in time fails no request: its section of the environment, or the tool result, has the reason.
 *
 * `readBuffer` and `save` get paths inside the workspace only, which `.rooignore` does not deny: relative to it, with
 * forward slashes, and without symlinks (L9).
 */
export interface EditorPort {
  /**
   * The text of an open file with unsaved changes; undefined for any other. Tools and mentions read it in place of the
   * file on disk; searches and commands see the disk.
   */
  readBuffer?(path: string): Awaitable<string | undefined>;
  /**
   * Write the whole text of a file through the editor, so that undo and formatting work, and resolve when it is on disk.
   * The folder of a new file exists. Without it, files are written to disk, and a file with unsaved changes is not written.
   */
  save?(path: string, text: string): Awaitable<void>;
  /**
   * The open files, each with `path`, `visible` and `unsaved`. Files outside the workspace, and those that `.rooignore`
   * denies, are left out.
   */
  openFiles?(): Awaitable<readonly OpenFile[]>;
  /** The terminals, each with its `name`, the running `command` and its `output`. */
  terminals?(): Awaitable<readonly EditorTerminal[]>;
  /**
   * The problems of the workspace, each with `path`, `line`, `severity` and `message`, also for `@problems`. Files are
   * left out as with `openFiles`.
   */
  diagnostics?(): Awaitable<readonly Diagnostic[]>;
  /**
   * Run a command in a terminal, and resolve when it has ended. It must end at `timeoutMs`, and within 5 s after an abort of
   * `signal`. Without it, and in the background, commands are processes of this program.
   */
  runCommand?(command: TerminalCommand): Promise<CommandResult>;
  /** A short text, such as the output of `git status --short`. */
  gitStatus?(): Awaitable<string>;
}

/** An editor with its limits. */
export interface EditorSource {
  readonly editor: EditorPort;
  readonly limits?: Partial<EditorLimits> | undefined;
}

/** A folder that is open in an editor. */
export interface EditorWorkspace extends EditorSource {
  readonly root: string;
}
