import { emptyLog } from "../machines/message/index.ts";
import {
  applyEmitted,
  emptyRecordedState,
  type ReopenedTask,
  type TaskContext,
  type TaskEmitted,
} from "../machines/task/index.ts";
import { actorsAfter, EMPTY_LOG_FACTS, logFactsAfter, type View } from "./laws/index.ts";
import { NO_OBSERVATIONS, observationsAfter } from "./observations.ts";

/** What the machine itself says of where it is. */
export type Position = Pick<View, "state" | "context">;

/** The view of a task to which nothing has happened. */
export const firstView = (position: Position): View => ({
  ...position,
  logFacts: logFactsAfter(EMPTY_LOG_FACTS, emptyLog, position.context.log),
  activeActors: new Set(),
  recorded: emptyRecordedState,
  observed: NO_OBSERVATIONS,
});

/** The view after a macrostep that emitted these pieces. */
export function viewAfter(before: View, emitted: readonly TaskEmitted[], position: Position): View {
  const { state, context } = position;
  return {
    state,
    context,
    logFacts: logFactsAfter(before.logFacts, before.context.log, context.log),
    activeActors: actorsAfter(before.activeActors, emitted),
    recorded: emitted.reduce(applyEmitted, before.recorded),
    observed: observationsAfter(before.observed, emitted, context),
  };
}

/**
 * The view that a task is opened from after its process ended in `before`: what is remembered, and nobody alive.
 * `fresh` is the context of a task to which nothing has happened.
 */
export function reopenedView(before: View, past: ReopenedTask, fresh: TaskContext): View {
  const { log, conversation, queue, facts, calls } = past;
  return {
    state: before.state,
    context: { ...fresh, ...facts, log, conversation, queue },
    logFacts: logFactsAfter(before.logFacts, before.context.log, log),
    activeActors: new Set(),
    recorded: { log, conversation, queue, facts, calls },
    observed: { ...before.observed, crashes: before.observed.crashes + 1, checkpoint: "none" },
  };
}
