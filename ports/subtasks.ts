import type { ActorInputs } from "../machines/task/task.setup.ts";
import type { SubtaskOutcome } from "../machines/tool-call/call.ts";

/** The child can't be opened now, and has not ended. `message`: the reason, as sentences. */
export interface SubtaskUnavailable {
  readonly kind: "unavailable";
  readonly message: string;
}

/** The child is paused and rests, and its parent is being paused. The child has not ended. */
export interface SubtaskPaused {
  readonly kind: "paused";
}

/** How the wait for a child ends. */
export type SubtaskEnd = SubtaskOutcome | SubtaskUnavailable | SubtaskPaused;

/** Runs the child tasks of a task. */
export interface SubtaskPort {
  /** The reason why no subtask can be started. The model gets it before anyone is asked. */
  readonly unavailable?: string | undefined;
  /**
   * Start or resume the child and resolve with its outcome. When `signal` aborts, the child is cancelled and its outcome
   * is ignored (L16). A child that can't be opened now, or that is paused like its parent, has no outcome: the parent
   * rests, and runs it again when it resumes.
   */
  run(input: ActorInputs["subtask"], signal: AbortSignal): Promise<SubtaskEnd>;
}
