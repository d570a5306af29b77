import type { CallbackActorLogic, EventObject } from "xstate";
import type { ActorInputs, OpeningEvent } from "../machines/task/index.ts";
import { type Edge, released } from "./protocol/index.ts";

/** Sends `task.opened` once it is released, when the journal contains the header and the task's first messages. */
export function openingActor(edge: Edge): CallbackActorLogic<EventObject, ActorInputs["opening"]> {
  return released<EventObject, OpeningEvent, ActorInputs["opening"]>(
    edge,
    () => true,
    ({ send }) => {
      send({ type: "task.opened" });
      return () => {};
    },
  );
}
