import type { ElicitationAnswer, ElicitationRequest } from "../machines/message/elicitation.ts";
import type { ProgressStatus } from "../machines/message/message.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { BackgroundSubtasks } from "../ports/background-subtasks.ts";
import type { Browser } from "../ports/browser.ts";
import type { CodebaseIndex } from "../ports/codebase-index.ts";
import type { Commands } from "../ports/commands.ts";
import type { Shell } from "../ports/shell.ts";
import type { Skills } from "../ports/skills.ts";
import type { SubtaskFiles } from "../ports/subtask-files.ts";
import type { Workspace } from "../ports/workspace.ts";

export interface DescribePorts {
  readonly workspace: Workspace;
  /** Absent: the subtasks of the task have no files of their own. */
  readonly subtaskFiles?: SubtaskFiles | undefined;
}

/** A place in a trace, as W3C Trace Context has it, to continue the trace in another service. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The ports that a tool gets when it runs. */
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
  /** Absent: the task has no subtasks in the background. */
  readonly backgroundSubtasks?: BackgroundSubtasks | undefined;
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
   * @throws ToolError `ARGUMENTS_INVALID` for a request that is not valid; `FAILED` when the call was stopped, or more than 8
   * requests wait
   */
  readonly elicit?: ((request: ElicitationRequest) => Promise<ElicitationAnswer>) | undefined;
}
