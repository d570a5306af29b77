import { fromCallback } from "xstate";
import type { EdgeActors } from "../actors/index.ts";
import { type ActorInputs, type EdgeLogic, taskMachine } from "../machines/task/index.ts";

/** The edge actors of each task, by the actor system of its root actor. */
const edgeActorsOf = new WeakMap<object, EdgeActors>();

/** Register the edge actors of a task, before its root actor is started. */
export const registerEdgeActors = (system: object, actors: EdgeActors): void => {
  edgeActorsOf.set(system, actors);
};

/**
 * The task machine with edge actors that are looked up when they start. `provide` builds another machine of about
 * 100 KB; all tasks of a process share this one.
 */
export const sharedMachine = taskMachine.provide({
  actors: {
    opening: lookUp("opening"),
    context: lookUp("context"),
    llm: lookUp("llm"),
    review: lookUp("review"),
    tool: lookUp("tool"),
    ask: lookUp("ask"),
    timer: lookUp("timer"),
    checkpoint: lookUp("checkpoint"),
    subtask: lookUp("subtask"),
  },
});

function lookUp<K extends keyof ActorInputs>(kind: K): EdgeLogic<K> {
  const own = (system: object): EdgeLogic<K> => {
    const actors: { readonly [P in keyof ActorInputs]: EdgeLogic<P> } | undefined = edgeActorsOf.get(system);
    if (actors === undefined)
      throw new Error(`No edge actors are registered for the "${kind}" actor of this task.`);
    return actors[kind];
  };
  return {
    // The initial snapshot is the same for every callback actor; a reopened task creates it before registration.
    ...fromCallback(() => undefined),
    start: (snapshot, scope) => own(scope.system).start?.(snapshot, scope),
    transition: (snapshot, event, scope) => own(scope.system).transition(snapshot, event, scope),
  };
}
