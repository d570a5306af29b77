import type { Subscription } from "rxjs";
import type { Clock } from "../../actors/index.ts";
import { type AskClosing, isAskType, positionOf } from "../../machines/message/index.ts";
import type { OpenAsk } from "../../machines/task/index.ts";
import type { SubtaskEnd } from "../../machines/tool-call/index.ts";
import type { Task, TaskCommit, TaskSnapshot } from "../../runtime/index.ts";
import type { Commit } from "../../store/index.ts";
import type { LifecycleEventOf, Tell } from "./events.ts";
import { StatusWatch, type TaskStatus } from "./status.ts";
import { Throttle } from "./throttle.ts";
import { UsageWatch } from "./usage-watch.ts";

export interface ObserverOptions {
  readonly clock: Clock;
  readonly statusDelayMs: number;
  readonly usageThrottleMs: number;
}

/** What of a task's family may have changed: who is in focus. */
interface Surroundings {
  readonly tell: Tell;
  readonly refocus: () => void;
  readonly onEnd: () => void;
}

/** Reads the lifecycle of one task off its commits. */
export class ObservedTask {
  readonly task: Task;
  readonly #tell: Tell;
  readonly #around: Surroundings;
  readonly #status: StatusWatch;
  readonly #usage = new UsageWatch();
  readonly #told: Throttle;
  #subscription: Subscription | undefined;
  #before: TaskSnapshot;
  /** How its newest stretch of work ended, if it has. */
  #end: "aborted" | "completed" | undefined;
  #hasStarted = false;

  constructor(task: Task, { clock, statusDelayMs, usageThrottleMs }: ObserverOptions, around: Surroundings) {
    this.task = task;
    this.#around = around;
    this.#tell = around.tell;
    this.#before = task.snapshot;
    this.#status = new StatusWatch(task.id, clock, statusDelayMs, around.tell);
    this.#told = new Throttle(clock, usageThrottleMs, () => this.#tellUsage());
    this.#usage.look(task.snapshot);
  }

  get status(): TaskStatus {
    return this.#status.status;
  }

  start(): void {
    this.#status.look(openAskOf(this.#before));
    this.#subscription = this.task.events$.subscribe({
      next: (shown) => this.#take(shown),
      complete: () => this.#close(),
    });
  }

  stop(): void {
    this.#subscription?.unsubscribe();
    this.#status.end();
    this.#told.end();
  }

  #take({ commit, snapshot }: TaskCommit): void {
    const before = this.#before;
    this.#before = snapshot;
    this.#tellRows(commit, snapshot);
    this.#tellFacts(commit, before, snapshot);
    this.#tellAnswers(commit, snapshot);
    this.#status.look(openAskOf(snapshot));
    this.#tellWork(commit, before);
    this.#tellEnd(commit);
  }

  #tellRows({ log }: Commit, { context }: TaskSnapshot): void {
    const taskId = this.task.id;
    const actions = new Map<number, "created" | "updated">();
    for (const event of log) {
      if (event.type === "message.appended") actions.set(event.message.ts, "created");
      else if (event.type === "message.grown" || event.type === "message.amended")
        actions.set(event.ts, actions.get(event.ts) ?? "updated");
    }
    for (const [ts, action] of actions) {
      const message = context.log.at(positionOf(context.log, ts));
      if (message !== undefined) this.#tell({ type: "message", taskId, action, message });
    }
  }

  #tellFacts({ queue, facts, calls, turnEnded }: Commit, before: TaskSnapshot, now: TaskSnapshot): void {
    const taskId = this.task.id;
    if (queue !== undefined) this.#tell({ type: "queuedMessagesUpdated", taskId, queuedMessages: queue });
    const mode = facts?.mode;
    if (mode !== undefined && mode !== before.context.mode)
      this.#tell({ type: "taskModeSwitched", taskId, mode });
    for (const failed of this.#usage.count(calls, turnEnded))
      this.#tell({ type: "taskToolFailed", taskId, ...failed });
    if (this.#usage.look(now)) this.#told.note();
  }

  #tellAnswers(commit: Commit, snapshot: TaskSnapshot): void {
    const answers = answersIn(commit, snapshot, this.task.id);
    const isAtWork = !isRest(commit.after);
    // What a policy allows was never open: it does not wake the task.
    const wasOpen = answers.some(({ askId }) => askId === askOf(commit.cause));
    if (wasOpen && isAtWork && this.#status.becomeActive())
      this.#tell({ type: "taskActive", taskId: this.task.id });
    for (const answer of answers) this.#tell(answer);
  }

  #tellWork({ before, after, log, cause }: Commit, snapshot: TaskSnapshot): void {
    const taskId = this.task.id;
    const ends = log.flatMap((event) => {
      if (event.type !== "message.appended" || event.message.say !== "subtask_result") return [];
      return endOf(event.message.callId, snapshot, cause) ?? [];
    });
    for (const { childTaskId, end } of ends) {
      if (end.kind === "finished")
        this.#tell({ type: "taskDelegationCompleted", taskId, childTaskId, summary: end.result });
    }
    const comesBack = before === "running.delegated" && after !== before && !isRest(after);
    if (comesBack || after === "running.delegated") this.#around.refocus();
    if (comesBack) {
      this.#status.becomeActive();
      this.#tell({ type: "taskActive", taskId });
    }
    const begins = before === "no_task" || before === "resumable" || before === "idle.reopened";
    if (comesBack || (begins && !isRest(after))) this.#tellStart();
    for (const { childTaskId } of ends) this.#tell({ type: "taskDelegationResumed", taskId, childTaskId });
  }

  #tellStart(): void {
    this.#end = undefined;
    if (!this.#hasStarted) this.#told.note();
    this.#hasStarted = true;
    this.#tell({ type: "taskStarted", taskId: this.task.id });
  }

  #tellEnd({ cause, before, after, reports }: Commit): void {
    const taskId = this.task.id;
    for (const report of reports) {
      if (report.type !== "task.completed") continue;
      this.#end = "completed";
      this.#told.force();
      this.#tell({
        type: "taskCompleted",
        taskId,
        result: report.result,
        tokenUsage: this.#usage.tokens,
        toolUsage: this.#usage.tools,
        isSubtask: this.task.parent !== undefined,
      });
    }
    if (cause?.type === "task.cancel" && !isRest(before) && after === "resumable") this.#abort("cancelled");
  }

  #abort(reason: LifecycleEventOf<"taskAborted">["reason"]): void {
    this.#end = "aborted";
    this.#status.becomeActive();
    this.#told.force();
    this.#tell({ type: "taskAborted", taskId: this.task.id, reason });
  }

  #tellUsage(): void {
    const { tokens: tokenUsage, tools: toolUsage } = this.#usage;
    this.#tell({ type: "taskTokenUsageUpdated", taskId: this.task.id, tokenUsage, toolUsage });
  }

  #close(): void {
    this.#status.end();
    this.#around.onEnd();
    // A subtask that has given its result is closed because it is done with.
    const isDone = this.#end === "aborted" || (this.#end === "completed" && this.task.parent !== undefined);
    if (!isDone) this.#abort("closed");
    this.stop();
  }
}

/** Also what has yet to begin: there is nothing to abort. */
const isRest = (path: string): boolean => /^(no_task|idle|resumable)/.test(path);

/** The ask that is open; a completion that was accepted or declined is not. */
function openAskOf({ context: { ask, log } }: TaskSnapshot): OpenAsk | undefined {
  if (ask === undefined) return undefined;
  return log.at(positionOf(log, ask.id))?.closing === undefined ? ask : undefined;
}

type Answered = LifecycleEventOf<"taskAskResponded">;

const askOf = (cause: Commit["cause"]): number | undefined =>
  cause?.type === "ask.answered" || cause?.type === "ask.expired" ? cause.askId : undefined;

const CLOSED_BY_ANSWER: ReadonlySet<AskClosing | undefined> = new Set(["answered", "expired"]);

/** The asks that came to their answer: that which the commit is due to, and those that a policy allowed. */
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

/** How the subtask of this call ended: as it told, or as its journal did. `before`: the task still waited for it. */
function endOf(
  callId: string | undefined,
  { context }: TaskSnapshot,
  cause: Commit["cause"],
): { readonly childTaskId: string; readonly end: SubtaskEnd } | undefined {
  const call = context.turn.calls.find((each) => each.callId === callId);
  if (call?.phase !== "delegated") return undefined;
  const told = cause?.type === "subtask.ended" && cause.callId === callId ? cause.end : call.end;
  return told === undefined ? undefined : { childTaskId: call.childId, end: told };
}
