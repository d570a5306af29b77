import type { z } from "zod";
import type {
  AnswerBody,
  CheckpointDiffInfo,
  Choices,
  ForkOptions,
  NewTask,
  PermissionChangeBody,
  proposalSchema,
  Restored,
  ServedModel,
  TaskInfo,
} from "../../wire/http/api.ts";
import type { ControlReplayBody, ControlReplayed } from "../../wire/http/control-replay.ts";
import type { ExplainBody, Explained } from "../../wire/http/explanation.ts";
import type { ReplayBody, Replayed } from "../../wire/http/permission-replay.ts";
import type { SearchHit } from "../../wire/http/search.ts";
import type { SuiteReport } from "../../wire/http/suite.ts";
import type { Verification, VerificationCounts } from "../../wire/http/verification.ts";
import type { Chart, ChartLayout } from "../chart/chart.ts";
import type { Counterexample } from "../trace/counterexample.ts";
import type { TraceReader } from "../trace/moment.ts";
import type { OmittedSubtasks } from "../trace/subtask-queue.ts";
import type { TraceEvent } from "../trace/trace-event.ts";

/** The source of the page's tasks: a server, a file, or an embedding page. */
export interface PageSource {
  /** The chart of the machine. Without a layout the page computes one. */
  chart(): Promise<{ readonly chart: Chart; readonly layout?: ChartLayout }>;
  /** Call `listener` with all tasks, now and at each change, until the returned function is called. */
  watchTasks(listener: (tasks: readonly TaskInfo[]) => void): () => void;
  /** Pass a task's events to `sink`, from the first on, until the returned function is called. */
  follow(taskId: string, sink: TraceSink): () => void;
  /** A task that does not change any more, whole, in place of following it. Absent: tasks are followed. */
  recorded?(taskId: string): RecordedTask | undefined;
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
  /** Judge a recorded task again, by another control protocol. Absent: the source has no protocols. */
  readonly control?: {
    /** The names of the protocols. */
    protocols(): Promise<readonly string[]>;
    replay(question: ControlReplayBody): Promise<ControlReplayed>;
  };
  /** The measured control suite of the source; undefined if it has none. */
  suite?(): Promise<SuiteReport | undefined>;
  /** Open the trajectory of a run of the suite, by its index. Returns the id of its task. */
  openRun?(run: number): Promise<string>;
  /** The result of a verification of the machine; undefined if the source has none. */
  verification?(): Promise<Verification | undefined>;
  /**
   * Call `listener` with the counts of the recorded tasks on the verification, now and as they grow, until the returned
   * function is called. `onFailed`: the counts can't continue, for this reason. Absent: the counts of the verification
   * do not change.
   */
  watchCounts?(
    listener: (counts: VerificationCounts) => void,
    onFailed: (reason: string) => void,
  ): () => void;
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
  /** Receives the traces of the task's subtasks. Absent: they are not needed. */
  readonly subtasks?: SubtaskSink;
}

/** Receives the traces of a task's subtasks, of any depth. */
export interface SubtaskSink {
  /** The next events, in order within each task. The event 0 begins the trace of its task anew. */
  events(batch: readonly TraceEvent[]): void;
  /** The trace of a subtask can't be read, or can't continue, for this reason. */
  failed(taskId: string, reason: string): void;
  /** Some subtasks are not read: a limit is reached. */
  omitted(omitted: OmittedSubtasks): void;
}

/** A task that does not change any more. */
export interface RecordedTask {
  readonly trace: TraceReader;
  /** Pass the traces of its subtasks to `sink`. */
  passSubtasks(sink: SubtaskSink): void;
}

/** The actions of the page's user. Each rejects with an error whose message is shown. */
export interface TaskActions {
  create(task: NewTask): Promise<TaskInfo>;
  /** Open a recorded task, so that it can continue. */
  open(taskId: string): Promise<TaskInfo>;
  answer(taskId: string, askId: number, answer: AnswerBody): Promise<void>;
  /** The part of the call of an open ask that an approval can amend. */
  proposal(taskId: string, askId: number): Promise<z.output<typeof proposalSchema>>;
  /** Move a running command to the background, or aborts it. */
  proceed(taskId: string, askId: number): Promise<void>;
  abort(taskId: string, askId: number): Promise<void>;
  /** Continue a task that is at rest. `images` are data URLs. */
  continue(taskId: string, text: string, images?: readonly string[]): Promise<void>;
  queue(taskId: string, text: string, images?: readonly string[]): Promise<void>;
  /** Change the text of a queued message, which keeps its images. Rejects once the message has left the queue. */
  editQueued(taskId: string, messageId: string, text: string): Promise<void>;
  /** Remove a queued message. Rejects once it has left the queue. */
  unqueue(taskId: string, messageId: string): Promise<void>;
  cancel(taskId: string): Promise<void>;
  /** Let the turn of a task end, and rest before its next request. */
  pause(taskId: string): Promise<void>;
  /** The modes and the models that the task can be switched to. */
  choices(taskId: string): Promise<Choices>;
  /** Switch the mode, or select the model, of the next request. */
  switchMode(taskId: string, slug: string): Promise<void>;
  selectProfile(taskId: string, name: string): Promise<void>;
  /** Change the permission mode of a task, or replace its rules. */
  changePermissions(taskId: string, change: PermissionChangeBody): Promise<void>;
  /** The changes that a restore of a checkpoint would make. */
  diffCheckpoint(taskId: string, hash: string): Promise<CheckpointDiffInfo>;
  /** Restore the files of a checkpoint, unless they have changed since the diff that `present` identifies. */
  restoreCheckpoint(taskId: string, hash: string, present: string): Promise<Restored>;
  /** Create a task from the records up to `at`: with the ask that is open there, or with another model. */
  fork(taskId: string, at: number, options?: ForkOptions): Promise<TaskInfo>;
  /** The models that a fork can have. Absent: it has the model of its original. */
  readonly models?: () => Promise<readonly ServedModel[]>;
  /** The current breakpoints of the task. */
  breakpoints(taskId: string): Promise<SetBreakpoints>;
  /** Set the breakpoints of the task. */
  setBreakpoints(taskId: string, breakpoints: Breakpoints): Promise<void>;
  /** Release one held event, or all up to the next breakpoint. */
  step(taskId: string): Promise<void>;
  resume(taskId: string): Promise<void>;
}

/** A breakpoint on a type of event: it holds while the task is in the state, and for calls of the tool. */
export interface EventBreakpoint {
  readonly type: string;
  /** A dotted path. */
  readonly state?: string;
  /** The name of a tool. */
  readonly tool?: string;
}

/** Where events are held before the machine processes them. A cancel is never held. */
export interface Breakpoints {
  /** Dotted paths: events are held once the task is in one of these states or below it. */
  readonly states: readonly string[];
  /** The types of events that are held, with conditions or without. */
  readonly events: readonly (string | EventBreakpoint)[];
  /** Whether to hold when a law is broken. */
  readonly laws: boolean;
  /** Whether to hold the next event. */
  readonly pause: boolean;
}

export interface SetBreakpoints extends Breakpoints {
  /** The reason why breakpoints were lifted automatically. */
  readonly lifted?: string;
}
