import type { CallbackActorLogic, EventObject } from "xstate";
import type { ActorInputs, SubtaskEvent } from "../../machines/task/index.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/index.ts";
import { type Edge, fromEvents } from "../protocol/index.ts";

type Input = ActorInputs["subtask"];

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
  run(input: Input, signal: AbortSignal): Promise<SubtaskOutcome | SubtaskUnavailable>;
}

/** Runs a child task and sends its outcome once, as `subtask.ended`, or `subtask.unavailable`. Stopping the actor cancels the child (L16). */
export function subtaskActor(
  edge: Edge,
  port: SubtaskPort | undefined,
): CallbackActorLogic<EventObject, Input> {
  return fromEvents<EventObject, SubtaskEvent, Input>(edge, {
    source: async function* ({ input, signal }) {
      const { callId } = input;
      const end = await (port ?? NO_SUBTASKS).run(input, signal);
      if (end.kind === "unavailable") yield { type: "subtask.unavailable", callId, message: end.message };
      else yield { type: "subtask.ended", callId, end };
    },
    isTerminal: () => true,
    failed: ({ callId }, error) => ({
      type: "subtask.ended",
      callId,
      end: { kind: "failed", message: error instanceof Error ? error.message : String(error) },
    }),
  });
}

const NO_SUBTASKS: SubtaskPort = {
  run: async () => ({ kind: "failed", message: "Subtasks are not available here." }),
};
