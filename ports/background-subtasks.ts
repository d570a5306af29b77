import type { SubtasksAtCompletion } from "../machines/task/task.context.ts";

export const SUBTASKS_AT_COMPLETION = ["wait", "cancel"] as const satisfies readonly SubtasksAtCompletion[];

/** The state of a subtask in the background. */
export interface BackgroundSubtaskState {
  readonly id: string;
  /** The name that the call gave it, or the first line of its message. */
  readonly title?: string;
  /** A word and the reason, such as `running: runs a tool` or `waiting: asks to run npm test`. */
  readonly state: string;
  /** The newest text that it wrote, cut to a limit. Absent: none. */
  readonly latest?: string;
  /** The use of it and its own subtasks. Absent: it is not open now. `cost`: US dollars, null where it is not known. */
  readonly used?: { readonly tokens: number; readonly cost: number | null };
}

/** The subtasks of a task that work in the background. */
export interface BackgroundSubtasks {
  /**
   * Queue a message for a subtask, and resolve when it is durable. The subtask gets it with its next request.
   *
   * @throws ToolError `NOT_FOUND` if no such subtask works in the background, `FAILED` if its queue is full
   */
  send(subtaskId: string, message: string, signal: AbortSignal): Promise<void>;
  /**
   * The states of the subtasks, or of this one, in the order of their calls.
   *
   * @throws ToolError `NOT_FOUND` if no such subtask is in the background
   */
  states(subtaskId?: string): Promise<readonly BackgroundSubtaskState[]>;
}
