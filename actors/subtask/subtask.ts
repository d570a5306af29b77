import type { CallbackActorLogic, EventObject } from "xstate";
import type { ActorInputs, SubtaskEvent } from "../../machines/task/index.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/index.ts";
import { type Edge, fromEvents } from "../protocol/index.ts";

type Input = ActorInputs["subtask"];

/** Where the tasks live: it runs the child of a call to its end. */
export interface SubtaskPort {
  /** Why no subtask can be begun here: told to the model, before anybody is asked. Undefined where one can. */
  readonly refusal?: string;
  /**
   * Goes on with the child, or makes it, and resolves with its end. When `signal` aborts, the child is cancelled and
   * its end is nobody's affair any more (L16).
   */
  run(input: Input, signal: AbortSignal): Promise<SubtaskOutcome>;
}

/** Runs a child task to its end and sends that once, as `subtask.ended`. Its stop cancels the child (L16). */
export function subtaskActor(
  edge: Edge,
  port: SubtaskPort | undefined,
): CallbackActorLogic<EventObject, Input> {
  return fromEvents<EventObject, SubtaskEvent, Input>(edge, {
    source: async function* ({ input, signal }) {
      const end = await (port ?? NO_SUBTASKS).run(input, signal);
      yield { type: "subtask.ended", callId: input.callId, end };
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
  run: async () => ({ kind: "failed", message: "There is nothing here that could run a subtask." }),
};
