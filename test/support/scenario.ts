import type { AssistantBlock } from "../../machines/conversation/entry.ts";
import type { Answer } from "../../machines/message/asks.ts";
import type { TaskInput } from "../../machines/task/task.context.ts";
import type { Failure, StopReason, TaskEvent, Usage, WakeUp } from "../../machines/task/task.events.ts";
import type {
  CallAsk,
  Effect,
  Review,
  SubtaskOutcome,
  ToolCall,
  Verdict,
} from "../../machines/tool-call/call.ts";
import type { Grant } from "../../machines/tool-call/grant.ts";
import type { SubtaskOrder } from "../../machines/tool-call/subtask-order.ts";
import type { WakeUpChange } from "../../machines/tool-call/wake-up.ts";
import type { Crash } from "../../verify/crash.ts";
import { TaskRun } from "./task-run.ts";

const USAGE = { tokensIn: 10, tokensOut: 5, cacheWrites: 0, cacheReads: 0, cost: 0.01 };

export interface CallSpec {
  readonly name: string;
  readonly ask?: CallAsk;
  readonly effect?: Effect;
  readonly verdict?: Verdict["kind"];
  /** The file that it changes by a diff. */
  readonly patches?: string;
  /** The mode that it switches to. */
  readonly switchesTo?: string;
  readonly requestsBudget?: Grant;
  /** Whether the subtask that it starts works in the background. */
  readonly inBackground?: true;
  /** The order about subtasks in the background that it gives. */
  readonly ordersSubtasks?: SubtaskOrder;
  /** The change of the wake-ups that it makes. */
  readonly changesWakeUps?: WakeUpChange;
  /** Why a person is asked. */
  readonly because?: string;
}

const VERDICTS: Readonly<Record<Verdict["kind"], Verdict>> = {
  allow: { kind: "allow", rule: "reads-inside" },
  deny: { kind: "deny", rule: "no-network", reason: "the network is off" },
  ask: { kind: "ask" },
};

type Untimed<T> = T extends unknown ? Omit<T, "at"> : never;

/** A task driven event by event. Each method sends one event of a user or an actor, 10 ms after the last. */
export class Scenario {
  readonly run: TaskRun;
  #at = 100;
  #content: AssistantBlock[] = [];

  constructor(input: Partial<TaskInput> = {}) {
    this.run = new TaskRun({ completion: "tool", ...input });
  }

  get messages(): string[] {
    return this.run.view.context.log.toArray().map(({ type, ask, say, partial }) => {
      return `${type}:${ask ?? say}${partial === true ? " P" : ""}`;
    });
  }

  get state(): string {
    return this.run.view.state;
  }

  send(event: Untimed<TaskEvent>): this {
    this.#at += 10;
    this.run.send({ ...event, at: this.#at } as TaskEvent);
    return this;
  }

  /** Start the task, up to the first response. */
  begun(text = "Make the tests pass"): this {
    return this.send({ type: "task.start", text, images: [] }).send({ type: "task.opened" }).prepared();
  }

  prepared(): this {
    this.#content = [];
    const ends = this.run.view.context.turn.calls.flatMap(({ phase, callId }) =>
      phase === "stopped" ? [{ callId, content: "uncertain" as const }] : [],
    );
    return this.send({
      type: "context.ready",
      requestId: this.#request,
      environment: "<environment/>",
      ends,
    });
  }

  says(text: string): this {
    this.#content.push({ type: "text", text });
    return this.send({ type: "llm.text.delta", requestId: this.#request, index: this.#index, text });
  }

  thinks(thinking: string): this {
    this.#content.push({ type: "thinking", thinking, signature: "signed" });
    const at = { requestId: this.#request, index: this.#index };
    return this.send({ type: "llm.thinking.delta", ...at, text: thinking });
  }

  /** A call with complete arguments, reviewed at once. */
  calls(call: CallSpec): this {
    this.#endsArguments(call);
    return this.reviewed(call);
  }

  /** A call with complete arguments whose review is pending. */
  callsBeforeReview(call: CallSpec): this {
    this.#endsArguments(call);
    return this;
  }

  /** The review of the last such call. */
  reviewed({ name, effect = "writes", verdict = "ask", because, ...more }: CallSpec): this {
    const { patches, switchesTo, requestsBudget, inBackground, ordersSubtasks, changesWakeUps } = more;
    const review = {
      valid: true,
      digest: `${name}!`,
      revision: this.run.view.context.permissions.revision,
      effect,
      replayable: false,
      text: `{"tool":"${name}"}`,
      ...(patches !== undefined && { patches }),
      ...(switchesTo !== undefined && { switchesTo }),
      ...(requestsBudget !== undefined && { requestsBudget }),
      ...(inBackground !== undefined && { inBackground }),
      ...(ordersSubtasks !== undefined && { ordersSubtasks }),
      ...(changesWakeUps !== undefined && { changesWakeUps }),
      verdict: because === undefined ? VERDICTS[verdict] : ({ kind: "ask", because } as const),
    } as const;
    return this.send({ type: "call.reviewed", callId: this.#lastIn("deciding"), review });
  }

  /** A call that its review finds invalid. */
  callsInvalid(call: CallSpec, error: string): this {
    this.#endsArguments(call);
    const { patches } = call;
    return this.invalid({ error, ...(patches !== undefined && { patches }) });
  }

  /** The review of the last such call, which is invalid. */
  invalid(review: Omit<Extract<Review, { valid: false }>, "valid">): this {
    const callId = this.#lastIn("deciding");
    return this.send({ type: "call.reviewed", callId, review: { valid: false, ...review } });
  }

  #endsArguments(call: CallSpec): string {
    const callId = this.startsCall(call);
    this.send({ type: "llm.tool.end", requestId: this.#request, callId, input: { of: call.name } });
    return callId;
  }

  /** More arguments of the last started call. */
  previews(preview: string): this {
    const callId = this.#lastIn("planned");
    return this.send({ type: "llm.tool.delta", requestId: this.#request, callId, preview });
  }

  startsCall({ name, ask = "tool" }: CallSpec): string {
    const index = this.#index;
    const toolUseId = `tu${index}`;
    const callId = `${this.#request}/${toolUseId}`;
    this.#content.push({ type: "tool_use", id: toolUseId, name, input: { of: name } });
    this.send({ type: "llm.tool.start", requestId: this.#request, index, callId, toolUseId, name, ask });
    return callId;
  }

  finishes(stopReason: StopReason = "tool_use", used: Partial<Usage> = {}): this {
    const [content, usage] = [[...this.#content], { ...USAGE, ...used }];
    return this.send({ type: "llm.finished", requestId: this.#request, stopReason, content, usage });
  }

  /** The condense actor requests the summary. */
  summarizes(): this {
    return this.send({ type: "condense.started", requestId: this.#request });
  }

  /** The endpoint counts fewer tokens than an estimate. */
  counts(tokens: number): this {
    return this.send({ type: "condense.unneeded", requestId: this.#request, tokens });
  }

  condenses(summary: string): this {
    return this.send({ type: "condense.finished", requestId: this.#request, summary, usage: USAGE });
  }

  condensingFails(failure: Partial<Failure>): this {
    const full = { code: "overloaded_error", message: "Overloaded", retryable: false, ...failure };
    return this.send({
      type: "condense.failed",
      requestId: this.#request,
      failure: full,
      usage: USAGE,
      jitter: 0.5,
    });
  }

  fails(failure: { code?: string; retryable: boolean; retryAfterMs?: number; status?: number }): this {
    const full = { code: "overloaded_error", message: "Overloaded", ...failure };
    return this.send({
      type: "llm.failed",
      requestId: this.#request,
      failure: full,
      usage: USAGE,
      jitter: 0.5,
    });
  }

  answers(kind: Answer["kind"], text?: string): this {
    const answer =
      kind === "text" ? { kind, text: text ?? "" } : { kind, ...(text !== undefined && { text }) };
    return this.gives(answer);
  }

  gives(answer: Answer): this {
    const askId = this.run.view.context.ask?.id ?? 0;
    return this.send({ type: "ask.answered", askId, answer });
  }

  /** A policy's deadline answers the open ask. */
  expires(kind: "yes" | "no", rule: string): this {
    const askId = this.run.view.context.ask?.id ?? 0;
    return this.send({ type: "ask.expired", askId, answer: { kind }, rule });
  }

  /** The timer of the next attempt fires. */
  retries(): this {
    return this.send({ type: "timer.fired", timerId: `retry:${this.run.view.context.retryAt}` });
  }

  /** The timer of the rate limit fires, at its time. */
  waits(): this {
    const { requestedAt, limits } = this.run.view.context;
    this.#at = Math.max(this.#at, requestedAt + limits.rateLimitMs - 10);
    return this.send({ type: "timer.fired", timerId: `rate:${requestedAt}` });
  }

  /** The timer fires that delivers the oldest queued message after a completion. */
  delivers(): this {
    return this.send({ type: "timer.fired", timerId: `queue:${this.run.view.context.ask?.id}` });
  }

  outputs(text: string): this {
    return this.send({ type: "tool.output", callId: this.#running, text });
  }

  progresses(text: string, callId = this.#running): this {
    return this.send({ type: "tool.progress", callId, status: { text } });
  }

  toolEnds(text = "done", exitCode = 0): this {
    const callId = this.#running;
    const command = { command: { output: text, exitCode } };
    const content = [{ type: "text", text }] as const;
    return this.send({ type: "tool.finished", callId, content, ...(this.#isCommand(callId) && command) });
  }

  toolFails(error = "no such file"): this {
    return this.send({ type: "tool.failed", callId: this.#running, error });
  }

  pauses(): this {
    return this.send({ type: "task.pause" });
  }

  /** A person schedules a wake-up, this long after now. */
  schedulesWakeUp(afterMs: number, more: Partial<WakeUp> = {}): this {
    const at = this.#at + 10 + afterMs;
    return this.send({ type: "wake.scheduled", wakeUp: { id: "w", at, message: "Look again.", ...more } });
  }

  /** The host says that wake-ups are due, this long after now. */
  isDue(afterMs = 0): this {
    this.#at += afterMs;
    return this.send({ type: "wake.due" });
  }

  cancelled(): this {
    return this.send({ type: "task.cancel", origin: "user" });
  }

  /** The process crashes, and the task is reopened a minute later with more `input`. */
  crashes(left: Partial<Pick<Crash, "keepsGrowth" | "ends" | "childEnds">> = {}, input = {}): this {
    this.#at += 60_000;
    const nothing = { keepsGrowth: false, ends: [], childEnds: [] } as const;
    this.run.crash({ type: "process.crashed", at: this.#at, ...nothing, ...left }, undefined, input);
    return this;
  }

  /** The delegated, running or approved call. */
  get callId(): string {
    const calls = this.run.view.context.turn.calls;
    const isWaited = ({ phase }: ToolCall) => ["delegated", "running", "approved"].includes(phase);
    return calls.find(isWaited)?.callId ?? "nobody";
  }

  subtaskEnds(end: SubtaskOutcome): this {
    return this.send({ type: "subtask.ended", callId: this.callId, end });
  }

  snapshotSaved(hash: string): this {
    return this.send({ type: "checkpoint.saved", callId: this.callId, hash });
  }

  snapshotSkipped(reason: string): this {
    return this.send({ type: "checkpoint.skipped", callId: this.callId, reason });
  }

  queues(text: string): this {
    return this.send({ type: "queue.added", item: { id: `q${this.#at}`, text, images: [] } });
  }

  get #request(): number {
    return this.run.view.context.request ?? -1;
  }

  get #index(): number {
    return this.run.view.context.turn.blocks.length;
  }

  get #running(): string {
    const { turn, background } = this.run.view.context;
    return turn.calls.find(({ phase }) => phase === "running")?.callId ?? background[0]?.callId ?? "nobody";
  }

  #lastIn(phase: ToolCall["phase"]): string {
    return this.run.view.context.turn.calls.findLast((call) => call.phase === phase)?.callId ?? "nobody";
  }

  #isCommand(callId: string): boolean {
    const { turn, background } = this.run.view.context;
    const isIt = (call: { readonly callId: string }) => call.callId === callId;
    return turn.calls.find(isIt)?.ask === "command" || background.some(isIt);
  }
}
