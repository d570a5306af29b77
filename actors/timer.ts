import type { CallbackActorLogic, EventObject } from "xstate";
import type { ActorInputs, TimerEvent } from "../machines/task/index.ts";
import { type Edge, released, waitUntil } from "./protocol/index.ts";

/** Sends `timer.fired` when the clock reaches `input.deadline` (milliseconds since 1970). */
export function timerActor(edge: Edge): CallbackActorLogic<EventObject, ActorInputs["timer"]> {
  return released<EventObject, TimerEvent, ActorInputs["timer"]>(
    edge,
    () => true,
    ({ input, send }) =>
      waitUntil(edge.clock, input.deadline, () => send({ type: "timer.fired", timerId: input.timerId })),
  );
}
