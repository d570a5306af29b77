import { emptyLog } from "../machines/message/log.ts";
import { applyEmitted, emptyRecordedState } from "../machines/task/commit.ts";
import type { ReopenedTask, TaskContext } from "../machines/task/task.context.ts";
import type { TaskEmitted } from "../machines/task/task.events.ts";
import { actorsAfter } from "./laws/changes.ts";
import type { View } from "./laws/law.ts";
import { EMPTY_LOG_FACTS, logFactsAfter } from "./laws/log-facts.ts";
import { NO_OBSERVATIONS, observationsAfter } from "./observations.ts";

/** State and context of a settled machine. */
export type Position = Pick<View, "state" | "context">;

/** The view of a new task. */
export const firstView = (position: Position): View => ({
  ...position,
  logFacts: logFactsAfter(EMPTY_LOG_FACTS, emptyLog, position.context.log),
  activeActors: new Set(),
  recorded: emptyRecordedState,
  observed: NO_OBSERVATIONS,
});

/** The view after a macrostep that emitted these events. */
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
 * The view from which a task is reopened after a crash in `before`: the recorded state without active actors.
 * `fresh` is the context of a new task.
 */
export function reopenedView(before: View, reopened: ReopenedTask, fresh: TaskContext): View {
  const { log, conversation, queue, facts, calls } = reopened;
  return {
    state: before.state,
    context: { ...fresh, ...facts, log, conversation, queue },
    logFacts: logFactsAfter(before.logFacts, before.context.log, log),
    activeActors: new Set(),
    recorded: { log, conversation, queue, facts, calls },
    observed: { ...before.observed, crashes: before.observed.crashes + 1, checkpoint: "none" },
  };
}
