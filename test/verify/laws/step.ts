import { initialTransition } from "xstate";
import {
  type ReopenedTask,
  type TaskContext,
  type TaskEmitted,
  type TaskEvent,
  taskMachine,
} from "../../../machines/task/index.ts";
import type { Step } from "../../../verify/index.ts";
import { firstView, viewAfter } from "../../../verify/view.ts";

/** The context of a task to which nothing has happened. */
export const [{ context: fresh }] = initialTransition(taskMachine, { taskId: "t1" });

export interface StepParts {
  /** What the context has before, other than that of a fresh task. */
  readonly before?: Partial<TaskContext>;
  /** The state before and, if `to` is not given, after. Default `running.calling`. */
  readonly from?: string;
  readonly to?: string;
  readonly event?: TaskEvent;
  /** What the context has after, other than before. */
  readonly after?: Partial<TaskContext>;
  readonly emitted?: readonly TaskEmitted[];
  /** Pieces that were told earlier: who they left alive, and what they made of memory and life, is before. */
  readonly earlier?: readonly TaskEmitted[];
  readonly past?: ReopenedTask;
}

/** A macrostep as a law sees it, of which no machine needs to be able. */
export function stepOf({
  from = "running.calling",
  to = from,
  emitted = [],
  earlier = [],
  ...parts
}: StepParts): Step {
  const { event = { type: "task.cancel", at: 1 }, past } = parts;
  const context = { ...fresh, ...parts.before };
  const first = firstView({ state: from, context });
  const before = viewAfter(first, earlier, { state: from, context });
  const after = viewAfter(before, emitted, { state: to, context: { ...context, ...parts.after } });
  return { before, event, after, emitted, ...(past !== undefined && { reopened: past }) };
}
