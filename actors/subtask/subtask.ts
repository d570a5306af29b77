import type { CallbackActorLogic, EventObject } from "xstate";
import type { SubtaskEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { SubtaskPort } from "../../ports/subtasks.ts";
import type { Requires } from "../environment.ts";
import type { Edge } from "../protocol/edge.ts";
import { fromEvents } from "../protocol/from-events.ts";

type Input = ActorInputs["subtask"];

/** Runs a child task and sends its outcome once, as `subtask.ended`, or `subtask.unavailable`. Stopping the actor cancels the child (L16). */
export function subtaskActor(
  edge: Edge,
  { subtasks = NO_SUBTASKS }: Requires<"subtasks">,
): CallbackActorLogic<EventObject, Input> {
  return fromEvents<EventObject, SubtaskEvent, Input>(edge, {
    source: async function* ({ input, signal }) {
      const { callId } = input;
      const end = await subtasks.run(input, signal);
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
