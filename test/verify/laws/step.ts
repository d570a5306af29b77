import { initialTransition } from "xstate";
import type { ReopenedTask, TaskContext } from "../../../machines/task/task.context.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import type { Step } from "../../../verify/index.ts";
import { firstView, viewAfter } from "../../../verify/view.ts";

/** The initial context of a task. */
export const [{ context: fresh }] = initialTransition(taskMachine, { taskId: "t1" });

export interface StepParts {
  /** Context before the macrostep, as overrides of a fresh task. */
  readonly before?: Partial<TaskContext>;
  /** The state before, and the default of `to`. Default: `running.calling`. */
  readonly from?: string;
  readonly to?: string;
  readonly event?: TaskEvent;
  /** Context after the macrostep, as overrides of `before`. */
  readonly after?: Partial<TaskContext>;
  readonly emitted?: readonly TaskEmitted[];
  /** Events emitted earlier. They determine the active actors, records and observations before the macrostep. */
  readonly earlier?: readonly TaskEmitted[];
  readonly past?: ReopenedTask;
}

/** A macrostep as a law sees it. No machine needs to be able to take it. */
export function stepOf({
  from = "running.calling",
  to = from,
  emitted = [],
  earlier = [],
  ...parts
}: StepParts): Step {
  const { event = { type: "task.cancel", origin: "user", at: 1 }, past } = parts;
  const context = { ...fresh, ...parts.before };
  const first = firstView({ state: from, context });
  const before = viewAfter(first, earlier, { state: from, context });
  const after = viewAfter(before, emitted, { state: to, context: { ...context, ...parts.after } });
  return { before, event, after, emitted, ...(past !== undefined && { reopened: past }) };
}
