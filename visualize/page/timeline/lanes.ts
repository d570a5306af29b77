import type { AgentLoopState } from "../../../machines/message/states.ts";

/** The lanes that have bars, from top to bottom. */
export const BAR_LANES = ["state", "model", "person", "tools", "subtasks", "checks", "setup"] as const;
export type BarLane = (typeof BAR_LANES)[number];

/** The activity that a bar shows. `request` lasts until the first output of the model, `response` from there on. */
export type BarKind =
  | AgentLoopState
  | "request"
  | "response"
  | "condense"
  | "retry"
  | "pacing"
  | "tool"
  | "subtask"
  | "ask"
  | "review"
  | "hook"
  | "opening"
  | "context"
  | "checkpoint";

/** The time in which one activity lasted. Times are in milliseconds since 1970 and never decrease. */
export interface Bar {
  readonly lane: BarLane;
  /** The row in its lane, from 0. Subtasks, and tools that run at the same time, have different rows if there are enough. */
  readonly row: number;
  readonly kind: BarKind;
  /** The id of the tool call, the ask or the subtask. Empty: none. */
  readonly subject: string;
  /** The event that started it, and its time. */
  readonly seq: number;
  readonly from: number;
  /** The event that ended it, and its time. Undefined: it is open. */
  readonly last: number | undefined;
  readonly to: number | undefined;
  /** The position of the bar whose activity caused this one. Undefined: none, or the state. */
  readonly cause: number | undefined;
  /** The number and title of a subtask. Absent: the shown trace has the words of the activity. */
  readonly title?: string;
  /** The status of a subtask at the end of the bar, or now, as the panel of subtasks has it. Absent: it is not loaded. */
  readonly status?: string;
  /** The states of a subtask while it lasted. A later one covers those before it. */
  readonly states?: readonly Bar[];
}

/** The reason why nothing is done. `gone`: no process ran the task. */
export type QuietReason = "person" | "retry" | "pacing" | "rest" | "gone";

/** A time in which a task only waited. */
export interface Quiet {
  readonly reason: QuietReason;
  /** The event that started it. */
  readonly seq: number;
  readonly from: number;
  /** Undefined: it lasts. */
  readonly to: number | undefined;
}

/** The decisions of a control protocol in one event. */
export interface Verdicts {
  readonly seq: number;
  /** The highest score of a monitor, from 0 to 1. */
  readonly score: number;
  /** Whether an audit found an attack, or a judge failed. */
  readonly isBad: boolean;
}

/** The size of the context after an event, in tokens. */
export interface ContextSize {
  readonly seq: number;
  readonly tokens: number;
  /** Whether entries of the conversation were condensed or removed. */
  readonly isCompacted: boolean;
}

/** The activities of a trace of fixed length. */
export interface TimelineTables {
  /** In the order of their starts. */
  readonly bars: readonly Bar[];
  /** The number of rows of each lane. A lane without a bar has none. */
  readonly rows: ReadonlyMap<BarLane, number>;
  readonly quiet: readonly Quiet[];
  readonly verdicts: readonly Verdicts[];
  readonly context: readonly ContextSize[];
}

/** The waits: nothing of the task runs. */
export const WAITS: ReadonlySet<BarKind> = new Set(["ask", "retry", "pacing", "waiting_for_input"]);
