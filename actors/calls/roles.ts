import type { BackgroundCommand, EffectResult, OutputRest } from "../../machines/task/task.events.ts";
import type { Commands } from "../../ports/commands.ts";
import type { Shell } from "../../ports/shell.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { EndedCall } from "./started-calls.ts";

/** The actor of a call reports what the call does. */
export interface CallReports {
  /** A call may start. Until then its result is that nothing was done. */
  callPlanned(callId: string): void;
  /** @throws RepeatedEffectError */
  callStarted(callId: string): void;
  /** A running call has more output. */
  callPrinted(callId: string, text: string): void;
  /** The actor of a call was stopped, but the call still runs. */
  callStopped(callId: string): void;
  /** A call has ended. Returns the rest of its output after each block that the conversation may have as its newest. */
  callEnded(call: Omit<EndedCall, "stopped">): readonly OutputRest[];
  /** The shell of one call, whose commands the later calls of the task can read and stop. */
  commandsOf(callId: string, shell: Shell): CallCommands;
}

export interface CallCommands {
  /** Runs the commands of the call. */
  readonly shell: Shell;
  /** The commands of all calls of the task. */
  readonly commands: Commands;
}

/** The outcomes of calls for the next request: results, output, and processes that they left behind. */
export interface CallOutcomes {
  /** The results of stopped calls. Waits for running ones, for a limited time; an unknown result is `uncertain`. */
  resultsOf(callIds: readonly string[]): Promise<readonly EffectResult[]>;
  /** The output of a call that the conversation, whose newest environment block is `newest`, does not have. */
  unsentOutput(callId: string, newest: string | undefined): string;
  /** The output that {@link unsentOutput} returned is in this environment block. */
  outputOffered(callId: string, environment: string): void;
  /** The commands that have ended and left a process behind that still runs, oldest first. */
  leftCommands(): readonly BackgroundCommand[];
}

/** The effects of a task that were stopped and may still run (L10). */
export interface StoppedEffects {
  /** Resolves when nothing that was stopped runs any more, or after a limited time. */
  quiesce(): Promise<void>;
  /** Work other than a call was stopped: the next effect waits for its end as well. */
  workStopped(work: Promise<unknown>): void;
}

/** Runs the calls that access files, with the versions of the files that the task knows. */
export interface FileAccess {
  /** Run a call that reads these files. The task knows them as they were before it. */
  whileReading<T>(files: readonly string[] | undefined, run: () => Promise<T>): Promise<T>;
  /**
   * Run a call that writes these files, if none has changed since the task knew it.
   * @throws ToolError `CHANGED`
   */
  whileWriting(files: readonly string[] | undefined, run: () => Promise<ToolResult>): Promise<ToolResult>;
}

/** Compares files with the versions that the task knows. */
export interface FileChanges {
  /** The first of these files that has changed since the task knew it; undefined if none has. */
  changedOf(files: readonly string[] | undefined): Promise<string | undefined>;
}
