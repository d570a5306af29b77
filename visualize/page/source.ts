import type { AnswerBody, NewTask, PermissionChangeBody, TaskInfo } from "../../wire/http/api.ts";
import type { ExplainBody, Explained } from "../../wire/http/explanation.ts";
import type { ReplayBody, Replayed } from "../../wire/http/permission-replay.ts";
import type { SearchHit } from "../../wire/http/search.ts";
import type { SuiteReport } from "../../wire/http/suite.ts";
import type { Chart, ChartLayout } from "../chart/chart.ts";
import type { Counterexample } from "../trace/counterexample.ts";
import type { TraceEvent } from "../trace/trace-event.ts";

/** The source of the page's tasks: a server, a file, or an embedding page. */
export interface PageSource {
  /** The chart of the machine. Without a layout the page computes one. */
  chart(): Promise<{ readonly chart: Chart; readonly layout?: ChartLayout }>;
  /** Call `listener` with all tasks, now and at each change, until the returned function is called. */
  watchTasks(listener: (tasks: readonly TaskInfo[]) => void): () => void;
  /** Pass a task's events to `sink`, from the first on, until the returned function is called. */
  follow(taskId: string, sink: TraceSink): () => void;
  /**
   * Explain an event by the machine's own state. Rejects where that is not kept. Absent: events are explained by what
   * the trace has.
   */
  readonly explain?: (taskId: string, question: ExplainBody) => Promise<Explained>;
  /** Search the texts of all tasks; yields the hits as they are found. Absent: texts can't be searched. */
  readonly search?: (
    term: { readonly text?: string; readonly tool?: string },
    signal: AbortSignal,
  ) => AsyncIterable<readonly SearchHit[]>;
  /** The violation that the source's only trace leads to. */
  readonly counterexample?: Counterexample;
  /** Judge recorded tool calls again, with permissions to try. Absent: the source has no judges. */
  readonly replayPermissions?: (question: ReplayBody) => Promise<Replayed>;
  /** The measured control suite of the source; undefined if it has none. */
  suite?(): Promise<SuiteReport | undefined>;
  /** The actions on tasks. Absent: the source is read-only. */
  readonly actions?: TaskActions;
}

export interface TraceSink {
  /** The next events, in order, without a gap. */
  events(batch: readonly TraceEvent[]): void;
  /** All past events were passed: the next ones are live. */
  live(): void;
  /** The trace can't continue, for this reason. */
  failed(reason: string): void;
}

/** The actions of the page's user. Each rejects with an error whose message is shown. */
export interface TaskActions {
  create(task: NewTask): Promise<TaskInfo>;
  /** Open a recorded task, so that it can continue. */
  open(taskId: string): Promise<TaskInfo>;
  answer(taskId: string, askId: number, answer: AnswerBody): Promise<void>;
  /** Move a running command to the background, or aborts it. */
  proceed(taskId: string, askId: number): Promise<void>;
  abort(taskId: string, askId: number): Promise<void>;
  /** Continue a task that is at rest. */
  continue(taskId: string, text: string): Promise<void>;
  queue(taskId: string, text: string): Promise<void>;
  cancel(taskId: string): Promise<void>;
  /** Change the permission mode of a task, or replace its rules. */
  changePermissions(taskId: string, change: PermissionChangeBody): Promise<void>;
  /** Create a task from the records up to `at`. */
  fork(taskId: string, at: number): Promise<TaskInfo>;
  /** The current breakpoints of the task. */
  breakpoints(taskId: string): Promise<SetBreakpoints>;
  /** Set the breakpoints of the task. */
  setBreakpoints(taskId: string, breakpoints: Breakpoints): Promise<void>;
  /** Release one held event, or all up to the next breakpoint. */
  step(taskId: string): Promise<void>;
  resume(taskId: string): Promise<void>;
}

/** Where events are held before the machine processes them. A cancel is never held. */
export interface Breakpoints {
  /** Dotted paths: events are held once the task is in one of these states or below it. */
  readonly states: readonly string[];
  /** The types of events that are held. */
  readonly events: readonly string[];
  /** Whether to hold when a law is broken. */
  readonly laws: boolean;
  /** Whether to hold the next event. */
  readonly pause: boolean;
}

export interface SetBreakpoints extends Breakpoints {
  /** The reason why breakpoints were lifted automatically. */
  readonly lifted?: string;
}
