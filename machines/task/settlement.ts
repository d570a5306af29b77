import { initialTransition } from "xstate";
import { detectAgentState } from "../message/detect.ts";
import type { Log } from "../message/log.ts";
import { hasNoWork } from "../message/states.ts";
import { type CommitParts, emittedBy, emptyParts, partsOf } from "./commit.ts";
import type { RecordedState } from "./task.context.ts";
import { taskMachine } from "./task.machine.ts";

/** How a recorded task that nobody runs comes to rest. */
export interface Settlement {
  /** The log at rest. */
  readonly log: Log;
  /** The decisions of the commit that brings the task to rest. */
  readonly parts: CommitParts;
  /** The machine's state after it. */
  readonly after: "resumable" | "idle.reopened";
}

/**
 * Settle a task that was recorded up to a moment and that nobody runs, as opening it would: the same transition of the
 * same machine, without a task. Undefined for a task that is at rest.
 *
 * @param at Time of the last record, in milliseconds since the epoch
 */
export function settleRecorded(taskId: string, recorded: RecordedState, at: number): Settlement | undefined {
  if (hasNoWork(detectAgentState(recorded.log).state)) return undefined;
  // The profiles of the next process are not known.
  const facts = { ...recorded.facts, profile: null };
  const [{ value, context }, actions] = initialTransition(taskMachine, {
    taskId,
    reopened: { ...recorded, facts, openedAt: at },
  });
  const parts = { ...emptyParts, ...partsOf(emittedBy(actions)) };
  return { log: context.log, parts, after: value === "resumable" ? value : "idle.reopened" };
}
