import type { RecordedState, ReopenedTask, TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEmitted, TaskEvent } from "../../machines/task/task.events.ts";
import type { StartJudgement, ValidReview } from "../../machines/tool-call/call.ts";
import type { Observations } from "../observations.ts";
import type { LogFacts } from "./log-facts.ts";

/** A settled state of the machine, as the laws see it. */
export interface View {
  /** The state as a dotted path. */
  readonly state: string;
  readonly context: TaskContext;
  /** Facts about the context's log. */
  readonly logFacts: LogFacts;
  /** Ids of the actors that were started and not stopped. */
  readonly activeActors: ReadonlySet<string>;
  /** Content of the journal: the commits of all macrosteps, folded. */
  readonly recorded: RecordedState;
  readonly observed: Observations;
}

/** One macrostep, as the laws see it. */
export interface Step {
  readonly before: View;
  readonly event: TaskEvent;
  readonly after: View;
  /** Emitted events, in order. */
  readonly emitted: readonly TaskEmitted[];
  /** Present in the first macrostep of a reopened task: the content of its journal. */
  readonly reopened?: ReopenedTask;
  /** Present where the task can be passivated after the macrostep: its state when it is activated from its journal. */
  readonly activated?: Pick<View, "state" | "context">;
}

/** A part of a task that holds laws: the machine with its actors, or what the options add to it. */
export type LawPart = "machine" | "permissions" | "hooks" | "intents" | "policies" | "protocol";

/**
 * A law of the runtime: a predicate over one macrostep. `violation` returns what is wrong, or undefined.
 * It reads log, calls and emitted events, and uses none of the code that made them.
 */
export interface Law {
  readonly id: string;
  readonly title: string;
  /** The part of a task that holds it. Default: the machine. */
  readonly heldBy?: LawPart;
  readonly violation: (step: Step) => string | undefined;
}

/**
 * A law of a whole path, which remembers what it needs. Two states of an exploration are the same only if what is
 * remembered in them is.
 */
export interface PathLaw extends Pick<Law, "id" | "title"> {
  /** Before the first macrostep. */
  readonly start: PathMemory;
}

/** The memory of a law about a path. It does not change. */
export interface PathMemory {
  /** A text that two of them share only if they judge all later macrosteps alike. */
  readonly key: string;
  readonly after: (step: Step) => Remembered;
  /** The objections of what enforces the law to a call that is about to start. Absent: nothing enforces it. */
  readonly objectionsTo?: (review: ValidReview) => Objections;
}

/** The objections to a call, by who permits it. */
export type Objections = Pick<StartJudgement, "person" | "policy">;

/** The memory after a macrostep, and the violation. */
interface Remembered {
  readonly memory: PathMemory;
  readonly violation: string | undefined;
}

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

export function topState(state: string): string {
  const dot = state.indexOf(".");
  return dot < 0 ? state : state.slice(0, dot);
}

/** Combine predicates: the first violation counts. */
export const firstViolation =
  (...predicates: readonly Law["violation"][]): Law["violation"] =>
  (step) => {
    for (const predicate of predicates) {
      const what = predicate(step);
      if (what !== undefined) return what;
    }
    return undefined;
  };

/** Check a law against a step. A law that throws is violated; the text has the error and the place. */
export function checkLaw(step: Step, law: Law): string | undefined {
  try {
    return law.violation(step);
  } catch (error) {
    return thrown(step, error);
  }
}

/** Add a step to what a law of paths remembers. A law that throws is violated, and remembers what it did. */
export function remember(step: Step, memory: PathMemory): Remembered {
  try {
    return memory.after(step);
  } catch (error) {
    return { memory, violation: thrown(step, error) };
  }
}

const thrown = ({ before, event, after }: Step, error: unknown): string =>
  `the law threw ${String(error)} at ${before.state}, ${event.type} -> ${after.state}`;
