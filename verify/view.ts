import { emptyLog } from "../machines/message/index.ts";
import {
  applyEmitted,
  emptyRecordedState,
  type ReopenedTask,
  type TaskContext,
  type TaskEmitted,
} from "../machines/task/index.ts";
import { aliveAfter, factsAfter, NO_ROWS, type View } from "./laws/index.ts";
import { lifeAfter, NEW_LIFE } from "./life.ts";

/** What the machine itself says of where it is. */
export type Position = Pick<View, "state" | "context">;

/** The view of a task to which nothing has happened. */
export const firstView = (position: Position): View => ({
  ...position,
  rows: factsAfter(NO_ROWS, emptyLog, position.context.log),
  alive: new Set(),
  memory: emptyRecordedState,
  life: NEW_LIFE,
});

/** The view after a macrostep that emitted these pieces. */
export function viewAfter(before: View, emitted: readonly TaskEmitted[], position: Position): View {
  const { state, context } = position;
  return {
    state,
    context,
    rows: factsAfter(before.rows, before.context.log, context.log),
    alive: aliveAfter(before.alive, emitted),
    memory: emitted.reduce(applyEmitted, before.memory),
    life: lifeAfter(before.life, emitted, context),
  };
}

/**
 * The view that a task is opened from after its process ended in `before`: what is remembered, and nobody alive.
 * `fresh` is the context of a task to which nothing has happened.
 */
export function viewOfPast(before: View, past: ReopenedTask, fresh: TaskContext): View {
  const { log, conversation, queue, facts, calls } = past;
  return {
    state: before.state,
    context: { ...fresh, ...facts, log, conversation, queue },
    rows: factsAfter(before.rows, before.context.log, log),
    alive: new Set(),
    memory: { log, conversation, queue, facts, calls },
    life: { ...before.life, crashes: before.life.crashes + 1, checkpoint: "none" },
  };
}
