import type { LogEvent } from "../../machines/message/index.ts";
import type { TaskContext, TaskEmitted, TaskEvent } from "../../machines/task/index.ts";

/** A settled view of the machine: all that a law of states may look at. */
export interface View {
  /** The state as a dotted path. */
  readonly state: string;
  readonly context: TaskContext;
}

/** One macrostep, as a law sees it. */
export interface Step {
  readonly before: View;
  readonly event: TaskEvent;
  readonly after: View;
  /** What the macrostep emitted, in order. */
  readonly emitted: readonly TaskEmitted[];
}

/** A law of the runtime, as a predicate over one macrostep: what is wrong with it, or undefined. */
export interface Law {
  readonly id: string;
  readonly title: string;
  readonly violation: (step: Step) => string | undefined;
}

export const topOf = (state: string): string => state.split(".")[0] ?? state;

export const isLogEvent = (piece: TaskEmitted): piece is LogEvent =>
  piece.type.startsWith("message.") || piece.type.startsWith("log.");
