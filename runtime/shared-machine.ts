import { fromCallback } from "xstate";
import type { EdgeActorCreators } from "../actors/edge-actors.ts";
import { taskMachine } from "../machines/task/task.machine.ts";
import {
  type ActorInputs,
  actorsOfKinds,
  type EdgeActors,
  type EdgeLogic,
} from "../machines/task/task.setup.ts";

/** The edge actors of one task. */
export interface TaskEdgeActors {
  readonly standard: EdgeActorCreators;
  /** Actors that replace standard ones. */
  readonly replaced: Partial<EdgeActors> | undefined;
}

/** The edge actors of each task, by the actor system of its root actor. */
const edgeActorsOf = new WeakMap<object, TaskEdgeActors>();

/** Register the edge actors of a task, before its root actor is started. */
export const registerEdgeActors = (system: object, actors: TaskEdgeActors): void => {
  edgeActorsOf.set(system, actors);
};

/**
 * The task machine with edge actors that are created when they start, and released when they stop. `provide` builds
 * another machine of about 100 KB; all tasks of a process share this one.
 */
export const sharedMachine = taskMachine.provide({
  actors: actorsOfKinds(lookUp),
});

function lookUp<K extends keyof ActorInputs>(kind: K): EdgeLogic<K> {
  const create = (system: object): EdgeLogic<K> => {
    const actors = edgeActorsOf.get(system);
    if (actors === undefined)
      throw new Error(`No edge actors are registered for the "${kind}" actor of this task.`);
    const replaced: Partial<{ readonly [P in keyof ActorInputs]: EdgeLogic<P> }> | undefined =
      actors.replaced;
    return replaced?.[kind] ?? actors.standard[kind]();
  };
  /** The logic of each actor, while it exists. */
  const logics = new WeakMap<object, EdgeLogic<K>>();
  const logicOf = ({ self, system }: { readonly self: object; readonly system: object }): EdgeLogic<K> => {
    const logic = logics.get(self) ?? create(system);
    logics.set(self, logic);
    return logic;
  };
  return {
    // The initial snapshot is the same for every callback actor; a reopened task creates it before registration.
    ...fromCallback(() => undefined),
    start: (snapshot, scope) => logicOf(scope).start?.(snapshot, scope),
    transition: (snapshot, event, scope) => logicOf(scope).transition(snapshot, event, scope),
  };
}
