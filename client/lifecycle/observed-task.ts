import type { Subscription } from "rxjs";
import { isAskType } from "../../machines/message/asks.ts";
import { positionOf } from "../../machines/message/log.ts";
import type { AskClosing } from "../../machines/message/message.ts";
import { hasNoWork } from "../../machines/message/states.ts";
import { selectedModel, selectedProfile } from "../../machines/task/profile.ts";
import type { OpenAsk } from "../../machines/task/task.context.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { Clock } from "../../ports/clock.ts";
import { messageChanges } from "../../runtime/task/message-changes.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit, TaskSnapshot } from "../../runtime/task/task-view.ts";
import type { Commit } from "../../store/gate/commit.ts";
import type { EmitEvent, LifecycleEventOf } from "./events.ts";
import { StatusTracker, type TaskStatus } from "./status.ts";
import { Throttle } from "./throttle.ts";
import { UsageTracker } from "./usage-watch.ts";

export interface ObserverOptions {
  readonly clock: Clock;
  readonly statusDelayMs: number;
  readonly usageThrottleMs: number;
}

/** Callbacks of an observed task. `refocus`: the focus of its subtask tree may have changed. */
interface ObserverCallbacks {
  readonly emit: EmitEvent;
  readonly refocus: () => void;
  readonly onEnd: () => void;
}

/** Derives the lifecycle events of one task from its commits. */
export class ObservedTask {
  readonly task: Task;
  readonly #emit: EmitEvent;
  readonly #callbacks: ObserverCallbacks;
  readonly #status: StatusTracker;
  readonly #usage = new UsageTracker();
  readonly #usageThrottle: Throttle;
  #subscription: Subscription | undefined;
  #before: TaskSnapshot;
  /** How it settled last. */
  #end: "aborted" | "completed" | undefined;
  #hasStarted = false;

  constructor(
    task: Task,
    { clock, statusDelayMs, usageThrottleMs }: ObserverOptions,
    callbacks: ObserverCallbacks,
  ) {
    this.task = task;
    this.#callbacks = callbacks;
    this.#emit = callbacks.emit;
    this.#before = task.snapshot;
    this.#status = new StatusTracker(task.id, clock, statusDelayMs, callbacks.emit);
    this.#usageThrottle = new Throttle(clock, usageThrottleMs, () => this.#emitUsage());
    this.#usage.update(task.snapshot);
  }

  get status(): TaskStatus {
    return this.#status.status;
  }

  start(): void {
    this.#status.update(openAskOf(this.#before));
    this.#subscription = this.task.events$.subscribe({
      next: (shown) => this.#read(shown),
      complete: () => this.#close(),
    });
  }

  stop(): void {
    this.#subscription?.unsubscribe();
    this.#status.end();
    this.#usageThrottle.end();
  }

  #read({ commit, snapshot, durable }: TaskCommit): void {
    const before = this.#before;
    this.#before = snapshot;
    const { parent } = this.task;
    // A subtask that is lost before its first record is created again.
    if (parent !== undefined && durable && commit.before === "no_task" && commit.after !== "no_task")
      this.#emit({ type: "taskDelegated", taskId: parent.taskId, childTaskId: this.task.id });
    this.#emitMessages(commit, snapshot);
    this.#emitFacts(commit, before, snapshot);
    this.#emitAnswers(commit, snapshot);
    this.#status.update(openAskOf(snapshot));
    this.#emitWork(commit, before);
    this.#emitEnd(commit);
  }

  #emitMessages({ log }: Commit, { context }: TaskSnapshot): void {
    const taskId = this.task.id;
    for (const { message, isNew } of messageChanges(context.log, log))
      this.#emit({ type: "message", taskId, action: isNew ? "created" : "updated", message });
  }

  #emitFacts({ queue, facts, calls, turnEnded }: Commit, before: TaskSnapshot, now: TaskSnapshot): void {
    const taskId = this.task.id;
    if (queue !== undefined) this.#emit({ type: "queuedMessagesUpdated", taskId, queuedMessages: queue });
    const mode = facts?.mode;
    if (mode !== undefined && mode !== before.context.mode)
      this.#emit({ type: "taskModeSwitched", taskId, mode });
    if (facts?.profile !== undefined) this.#emitProfile(before, now);
    for (const failed of this.#usage.count(calls, turnEnded))
      this.#emit({ type: "taskToolFailed", taskId, ...failed });
    if (this.#usage.update(now)) this.#usageThrottle.note();
  }

  #emitProfile({ context: before }: TaskSnapshot, { context }: TaskSnapshot): void {
    const name = selectedProfile(context);
    const provider = selectedModel(context)?.provider;
    if (provider === undefined || name === selectedProfile(before)) return;
    this.#emit({ type: "providerProfileChanged", taskId: this.task.id, name, provider });
  }

  #emitAnswers(commit: Commit, snapshot: TaskSnapshot): void {
    const answers = answersIn(commit, snapshot, this.task.id);
    const isAtWork = !hasNoWork(commit.after);
    // An ask that a policy answered was never open: the task was active already.
    const wasOpen = answers.some(({ askId }) => askId === askOf(commit.cause));
    if (wasOpen && isAtWork && this.#status.becomeActive())
      this.#emit({ type: "taskActive", taskId: this.task.id });
    for (const answer of answers) this.#emit(answer);
  }

  #emitWork({ before, after, log, cause }: Commit, snapshot: TaskSnapshot): void {
    const taskId = this.task.id;
    const ends = log.flatMap((event) => {
      if (event.type !== "message.appended" || event.message.say !== "subtask_result") return [];
      return endOf(event.message.callId, snapshot, cause) ?? [];
    });
    for (const { childTaskId, end } of ends) {
      if (end.kind === "finished")
        this.#emit({ type: "taskDelegationCompleted", taskId, childTaskId, summary: end.result });
    }
    const isResumed = before === "running.delegated" && after !== before && !hasNoWork(after);
    if (isResumed || after === "running.delegated") this.#callbacks.refocus();
    if (isResumed) {
      this.#status.becomeActive();
      this.#emit({ type: "taskActive", taskId });
    }
    const begins = before === "no_task" || before === "resumable" || before === "idle.reopened";
    if (isResumed || (begins && !hasNoWork(after))) this.#emitStart();
    for (const { childTaskId } of ends) this.#emit({ type: "taskDelegationResumed", taskId, childTaskId });
  }

  #emitStart(): void {
    this.#end = undefined;
    if (!this.#hasStarted) this.#usageThrottle.note();
    this.#hasStarted = true;
    this.#emit({ type: "taskStarted", taskId: this.task.id });
  }

  #emitEnd({ cause, before, after, reports }: Commit): void {
    const taskId = this.task.id;
    for (const report of reports) {
      if (report.type !== "task.completed") continue;
      this.#end = "completed";
      this.#usageThrottle.force();
      this.#emit({
        type: "taskCompleted",
        taskId,
        result: report.result,
        tokenUsage: this.#usage.tokens,
        toolUsage: this.#usage.tools,
        isSubtask: this.task.parent !== undefined,
      });
    }
    if (cause?.type === "task.cancel" && !hasNoWork(before) && after === "resumable")
      this.#abort("cancelled");
  }

  #abort(reason: LifecycleEventOf<"taskAborted">["reason"]): void {
    this.#end = "aborted";
    this.#status.becomeActive();
    this.#usageThrottle.force();
    this.#emit({ type: "taskAborted", taskId: this.task.id, reason });
  }

  #emitUsage(): void {
    const { tokens: tokenUsage, tools: toolUsage } = this.#usage;
    this.#emit({ type: "taskTokenUsageUpdated", taskId: this.task.id, tokenUsage, toolUsage });
  }

  #close(): void {
    this.#status.end();
    this.#callbacks.onEnd();
    // A subtask that has completed is closed by its parent.
    const isDone = this.#end === "aborted" || (this.#end === "completed" && this.task.parent !== undefined);
    if (!isDone) this.#abort("closed");
    this.stop();
  }
}

/** At rest, or not started: there is nothing to abort. */

/** The open ask, except a completion that was accepted or declined. */
function openAskOf({ context: { ask, log } }: TaskSnapshot): OpenAsk | undefined {
  if (ask === undefined) return undefined;
  return log.at(positionOf(log, ask.id))?.closing === undefined ? ask : undefined;
}

type Answered = LifecycleEventOf<"taskAskResponded">;

const askOf = (cause: Commit["cause"]): number | undefined =>
  cause?.type === "ask.answered" || cause?.type === "ask.expired" ? cause.askId : undefined;

const CLOSED_BY_ANSWER: ReadonlySet<AskClosing | undefined> = new Set(["answered", "expired"]);

/** The asks that the commit closed with an answer: the one that caused it, and those that a policy answered. */
function answersIn({ cause, log }: Commit, { context }: TaskSnapshot, taskId: string): readonly Answered[] {
  const asked = askOf(cause);
  const closed = log.flatMap((event) => {
    if (event.type === "message.amended" && CLOSED_BY_ANSWER.has(event.patch.closing)) return [event.ts];
    if (event.type !== "message.appended" || !CLOSED_BY_ANSWER.has(event.message.closing)) return [];
    return [event.message.ts];
  });
  return [...new Set([...(asked === undefined ? [] : [asked]), ...closed])].flatMap((askId): Answered[] => {
    const ask = context.log.at(positionOf(context.log, askId))?.ask;
    if (!isAskType(ask)) return [];
    const isAsked = askId === asked;
    const answer =
      isAsked && (cause?.type === "ask.answered" || cause?.type === "ask.expired") ? cause : undefined;
    return [
      {
        type: "taskAskResponded",
        taskId,
        askId,
        ask,
        by: answer?.type === "ask.answered" ? "person" : "policy",
        answer: answer?.answer.kind ?? "yes",
      },
    ];
  });
}

/** The outcome of the subtask of a call, from its event, its journal, or the subtasks in the background. */
function endOf(
  callId: string | undefined,
  { context }: TaskSnapshot,
  cause: Commit["cause"],
): { readonly childTaskId: string; readonly end: SubtaskOutcome } | undefined {
  const delegated = context.turn.calls.filter((call) => call.phase === "delegated");
  const subtask = [...delegated, ...context.backgroundSubtasks].find((each) => each.callId === callId);
  if (subtask === undefined) return undefined;
  const outcome = cause?.type === "subtask.ended" && cause.callId === callId ? cause.end : subtask.end;
  return outcome === undefined ? undefined : { childTaskId: subtask.childId, end: outcome };
}
