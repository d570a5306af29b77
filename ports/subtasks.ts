import type { ActorInputs } from "../machines/task/task.setup.ts";
import type { SubtaskOutcome } from "../machines/tool-call/call.ts";

/** The child can't be opened now, and has not ended. `message`: the reason, as sentences. */
export interface SubtaskUnavailable {
  readonly kind: "unavailable";
  readonly message: string;
}

/** Runs the child tasks of a task. */
export interface SubtaskPort {
  /** The reason why no subtask can be started. The model gets it before anyone is asked. */
  readonly unavailable?: string | undefined;
  /**
   * Start or resume the child and resolve with its outcome. When `signal` aborts, the child is cancelled and its outcome
   * is ignored (L16). A child that can't be opened now has no outcome: its parent rests, and runs it again when it resumes.
   */
  run(input: ActorInputs["subtask"], signal: AbortSignal): Promise<SubtaskOutcome | SubtaskUnavailable>;
}
