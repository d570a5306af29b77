import type { ExecutableActionsFrom, SnapshotFrom } from "xstate";
import type { TaskEmitted, taskMachine } from "../machines/task/index.ts";

/** One step of a macrostep: where it led, and what is to be executed. */
export type Microstep = readonly [
  snapshot: SnapshotFrom<typeof taskMachine>,
  actions: readonly ExecutableActionsFrom<typeof taskMachine>[],
];

/** The pieces that a pure transition would emit. */
export const emittedBy = (actions: readonly { type: string; params?: unknown }[]): TaskEmitted[] =>
  actions.flatMap((action) =>
    action.type === "xstate.emit" ? [(action.params as { event: TaskEmitted }).event] : [],
  );
