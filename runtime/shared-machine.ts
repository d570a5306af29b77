import { fromCallback } from "xstate";
import type { EdgeActors } from "../actors/index.ts";
import { type ActorInputs, type EdgeLogic, taskMachine } from "../machines/task/index.ts";

/** The edge actors of each task, by the system of its root actor. */
const homes = new WeakMap<object, EdgeActors>();

/** Says whose edge actors the tasks of this system run. Before its root is started. */
export const settleIn = (system: object, actors: EdgeActors): void => {
  homes.set(system, actors);
};

/**
 * The task machine with edge actors that are looked up when they start. `provide` builds the whole machine
 * anew, some 100 KB: all tasks of a process share this one.
 */
export const sharedMachine = taskMachine.provide({
  actors: {
    opening: lookedUp("opening"),
    context: lookedUp("context"),
    llm: lookedUp("llm"),
    review: lookedUp("review"),
    tool: lookedUp("tool"),
    ask: lookedUp("ask"),
    timer: lookedUp("timer"),
    checkpoint: lookedUp("checkpoint"),
    subtask: lookedUp("subtask"),
  },
});

function lookedUp<K extends keyof ActorInputs>(kind: K): EdgeLogic<K> {
  const own = (system: object): EdgeLogic<K> => {
    const actors: { readonly [P in keyof ActorInputs]: EdgeLogic<P> } | undefined = homes.get(system);
    if (actors === undefined) throw new Error(`No edge actors are known for the "${kind}" of this task.`);
    return actors[kind];
  };
  return {
    // Its first snapshot is that of every callback: a task that is opened again makes some before it settles in.
    ...fromCallback(() => undefined),
    start: (snapshot, scope) => own(scope.system).start?.(snapshot, scope),
    transition: (snapshot, event, scope) => own(scope.system).transition(snapshot, event, scope),
  };
}
