import type { ExecutableActionsFrom, SnapshotFrom } from "xstate";
import type { TaskEmitted, taskMachine } from "../machines/task/index.ts";

/** One step of a macrostep: where it led, and what is to be executed. */
export type Microstep = readonly [
  snapshot: SnapshotFrom<typeof taskMachine>,
  actions: readonly ExecutableActionsFrom<typeof taskMachine>[],
];

type Machine = typeof taskMachine;

/**
 * The same machine, for many pure transitions. XState makes an actor without input for each of them, and the task's
 * context can't be made without: this one is given `fresh`, which nobody looks at, instead of an exception.
 */
export function forTransitions(machine: Machine, fresh: SnapshotFrom<Machine>): Machine {
  const first: Machine["getInitialSnapshot"] = (scope, input) =>
    input === undefined ? fresh : machine.getInitialSnapshot(scope, input);
  return Object.create(machine, { getInitialSnapshot: { value: first } });
}

/** The pieces that a pure transition would emit. */
export const emittedBy = (actions: readonly { type: string; params?: unknown }[]): TaskEmitted[] =>
  actions.flatMap((action) =>
    action.type === "xstate.emit" ? [(action.params as { event: TaskEmitted }).event] : [],
  );
