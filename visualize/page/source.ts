import type { TraceEvent } from "../../trace/index.ts";
import type { AnswerBody, NewTask, TaskCard } from "../../wire/index.ts";
import type { Chart, ChartLayout } from "../chart/index.ts";

/** Where the page has its tasks from: a server, a file, or the page of somebody else that shows it. */
export interface PageSource {
  /** The machine that is drawn. Without a layout the page makes one. */
  chart(): Promise<{ readonly chart: Chart; readonly layout?: ChartLayout }>;
  /** Tells of all tasks now, and again as they change, until what it gives is called. */
  watchTasks(listener: (tasks: readonly TaskCard[]) => void): () => void;
  /** Tells a task's events from the first on, then each as it comes, until what it gives is called. */
  follow(taskId: string, sink: TraceSink): () => void;
  /** What can be done to tasks. Absent: they are only looked at. */
  readonly actions?: TaskActions;
}

export interface TraceSink {
  /** The next events, in order, without a gap. */
  events(batch: readonly TraceEvent[]): void;
  /** All that had happened is told: what comes now is live. */
  live(): void;
  /** It can't go on: why, for people. */
  failed(problem: string): void;
}

/** What a person may do from the page: as any client may. Each rejects with an error whose message is for people. */
export interface TaskActions {
  create(task: NewTask): Promise<TaskCard>;
  /** Opens a recorded task, so that it can go on. */
  open(taskId: string): Promise<TaskCard>;
  answer(taskId: string, askId: number, answer: AnswerBody): Promise<void>;
  /** Leaves a running command to go on, or ends it. */
  proceed(taskId: string, askId: number): Promise<void>;
  abort(taskId: string, askId: number): Promise<void>;
  /** Goes on with a task that rests. */
  say(taskId: string, text: string): Promise<void>;
  queue(taskId: string, text: string): Promise<void>;
  cancel(taskId: string): Promise<void>;
  /** A new task from the records up to `at`. */
  fork(taskId: string, at: number): Promise<TaskCard>;
  /** Where the task's events are held, as was last set by anybody. */
  breakpoints(taskId: string): Promise<SetBreakpoints>;
  /** Sets where the task's events are held; none: they pass. */
  setBreakpoints(taskId: string, breakpoints: Breakpoints): Promise<void>;
  /** Lets one held event pass, or all until the next breakpoint. */
  step(taskId: string): Promise<void>;
  resume(taskId: string): Promise<void>;
}

/** Where events are held before the machine takes them. A cancel always passes. */
export interface Breakpoints {
  /** Dotted paths: held once the task has come to one of these states, or into one of theirs. */
  readonly states: readonly string[];
  /** Types of events that are held before they are taken. */
  readonly events: readonly string[];
  /** Whether to hold once a law is broken. */
  readonly laws: boolean;
  /** Whether to hold the very next event. */
  readonly pause: boolean;
}

export interface SetBreakpoints extends Breakpoints {
  /** Why what was set was lifted by itself, for people. */
  readonly lifted?: string;
}
