import type { CallbackActorLogic, EventObject } from "xstate";
import type { OpeningEvent } from "../machines/task/task.events.ts";
import type { ActorInputs } from "../machines/task/task.setup.ts";
import type { Edge } from "./protocol/edge.ts";
import { released } from "./protocol/released.ts";

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
