import type { CallbackActorLogic, EventObject } from "xstate";
import type { ActorInputs, OpeningEvent } from "../machines/task/index.ts";
import { type Edge, released } from "./protocol/index.ts";

/** Sends `task.opened` once it is released: then the journal has its header and the task's first rows. */
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
