import type {
  RecordedState,
  ReopenedTask,
  TaskContext,
  TaskEmitted,
  TaskEvent,
} from "../../machines/task/index.ts";
import type { Life } from "../observations.ts";
import type { LogFacts } from "./log-facts.ts";

/** A settled view of the machine: all that a law of states may look at. */
export interface View {
  /** The state as a dotted path. */
  readonly state: string;
  readonly context: TaskContext;
  /** What the laws look for in the log of the context. */
  readonly logFacts: LogFacts;
  /** The edge actors that were started and not stopped, by id. */
  readonly activeActors: ReadonlySet<string>;
  /** What a journal remembers: the pieces of all macrosteps, folded. */
  readonly recorded: RecordedState;
  readonly observed: Life;
}

/** One macrostep, as a law sees it. */
export interface Step {
  readonly before: View;
  readonly event: TaskEvent;
  readonly after: View;
  /** What the macrostep emitted, in order. */
  readonly emitted: readonly TaskEmitted[];
  /** Of the first macrostep of a task that is opened again: what it is opened with. */
  readonly reopened?: ReopenedTask;
}

/**
 * A law of the runtime, as a predicate over one macrostep: what is wrong with it, or undefined. It reads the
 * log, the calls and what was emitted, and none of the code that made them.
 */
export interface Law {
  readonly id: string;
  readonly title: string;
  readonly violation: (step: Step) => string | undefined;
}

export function topState(state: string): string {
  const dot = state.indexOf(".");
  return dot < 0 ? state : state.slice(0, dot);
}

/** The first thing that is wrong, by any of several rules. */
export const firstViolation =
  (...rules: readonly Law["violation"][]): Law["violation"] =>
  (step) => {
    for (const rule of rules) {
      const what = rule(step);
      if (what !== undefined) return what;
    }
    return undefined;
  };

/** What a law says of a step. One that throws doesn't hold there: the words say what it threw, and where. */
export function checkLaw(step: Step, law: Law): string | undefined {
  try {
    return law.violation(step);
  } catch (error) {
    const { before, event, after } = step;
    return `the law threw ${String(error)} at ${before.state}, ${event.type} -> ${after.state}`;
  }
}
