import type { CallbackActorLogic, EventObject } from "xstate";
import type { TimerEvent } from "../machines/task/task.events.ts";
import type { ActorInputs } from "../machines/task/task.setup.ts";
import type { Edge } from "./protocol/edge.ts";
import { released } from "./protocol/released.ts";
import { waitUntil } from "./protocol/wait-until.ts";

/** Sends `timer.fired` when the clock reaches `input.deadline` (milliseconds since 1970). */
export function timerActor(edge: Edge): CallbackActorLogic<EventObject, ActorInputs["timer"]> {
  return released<EventObject, TimerEvent, ActorInputs["timer"]>(
    edge,
    () => true,
    ({ input, send }) =>
      waitUntil(edge.clock, input.deadline, () => send({ type: "timer.fired", timerId: input.timerId })),
  );
}
