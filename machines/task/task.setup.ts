import { type AnyEventObject, type CallbackActorLogic, fromCallback, setup } from "xstate";
import { ActorNotProvidedError } from "./errors.ts";
import type { ActorInputs, ToolCommand } from "./ports.ts";
import type { TaskContext, TaskEmitted, TaskEvent, TaskInput } from "./task.types.ts";

/** The machine's vocabulary: types and ports. It names its edge actors and contains none. */
export const taskSetup = setup({
  types: {} as {
    context: TaskContext;
    events: TaskEvent;
    emitted: TaskEmitted;
    input: TaskInput;
  },
  actors: {
    opening: port("opening"),
    context: port("context"),
    llm: port("llm"),
    review: port("review"),
    tool: port<"tool", ToolCommand>("tool"),
    ask: port("ask"),
    timer: port("timer"),
    checkpoint: port("checkpoint"),
    subtask: port("subtask"),
  },
});

/** The logic that an edge actor of the machine has. */
export type EdgeLogic<K extends keyof ActorInputs> = CallbackActorLogic<
  K extends "tool" ? ToolCommand : AnyEventObject,
  ActorInputs[K]
>;

function port<K extends keyof ActorInputs, TCommand extends AnyEventObject = AnyEventObject>(
  name: K,
): CallbackActorLogic<TCommand, ActorInputs[K]> {
  return fromCallback<TCommand, ActorInputs[K]>(() => {
    throw new ActorNotProvidedError(name);
  });
}
