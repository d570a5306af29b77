import type { CallbackActorLogic, EventObject } from "xstate";
import type { SubtaskEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { SubtaskEnd, SubtaskPort } from "../../ports/subtasks.ts";
import type { Requires } from "../environment.ts";
import type { Edge } from "../protocol/edge.ts";
import { fromEvents } from "../protocol/from-events.ts";
import type { Untimed } from "../protocol/released.ts";

type Input = ActorInputs["subtask"];

/**
 * Runs a child task and sends one event when the wait for it ends: `subtask.ended`, `subtask.unavailable` or
 * `subtask.paused`. Stopping the actor cancels the child (L16).
 */
export function subtaskActor(
  edge: Edge,
  { subtasks = NO_SUBTASKS }: Requires<"subtasks">,
): CallbackActorLogic<EventObject, Input> {
  return fromEvents<EventObject, SubtaskEvent, Input>(edge, {
    source: async function* ({ input, signal }) {
      const { callId } = input;
      const end = await subtasks.run(input, signal);
      yield eventOf(end, callId);
    },
    isTerminal: () => true,
    failed: ({ callId }, error) => ({
      type: "subtask.ended",
      callId,
      end: { kind: "failed", message: error instanceof Error ? error.message : String(error) },
    }),
  });
}

function eventOf(end: SubtaskEnd, callId: string): Untimed<SubtaskEvent> {
  if (end.kind === "unavailable") return { type: "subtask.unavailable", callId, message: end.message };
  if (end.kind === "paused") return { type: "subtask.paused", callId };
  return { type: "subtask.ended", callId, end };
}

const NO_SUBTASKS: SubtaskPort = {
  run: async () => ({ kind: "failed", message: "Subtasks are not available here." }),
};
