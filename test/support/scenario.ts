import type { AssistantBlock } from "../../machines/conversation/index.ts";
import type { Answer } from "../../machines/message/index.ts";
import type { StopReason, TaskEvent, TaskInput } from "../../machines/task/index.ts";
import type { CallAsk, Effect, SubtaskOutcome, ToolCall, Verdict } from "../../machines/tool-call/index.ts";
import type { Crash } from "../../verify/index.ts";
import { TaskRun } from "./task-run.ts";

const USAGE = { tokensIn: 10, tokensOut: 5, cacheWrites: 0, cacheReads: 0, cost: 0.01 };

export interface CallSketch {
  readonly name: string;
  readonly ask?: CallAsk;
  readonly effect?: Effect;
  readonly verdict?: Verdict["kind"];
}

const VERDICTS: Readonly<Record<Verdict["kind"], Verdict>> = {
  allow: { kind: "allow", rule: "reads-inside" },
  deny: { kind: "deny", rule: "no-network", reason: "the network is off" },
  ask: { kind: "ask" },
};

type Untimed<T> = T extends unknown ? Omit<T, "at"> : never;

/** A task told event by event, in the words of whoever sends them. Time goes on by 10 ms an event. */
export class Story {
  readonly run: TaskRun;
  #at = 100;
  #content: AssistantBlock[] = [];

  constructor(input: Partial<TaskInput> = {}) {
    this.run = new TaskRun(input);
  }

  get rows(): string[] {
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

  /** Until the model may answer. */
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

  /** A call whose arguments come whole; it is looked at, at once. */
  calls(call: CallSketch): this {
    this.#endsArguments(call);
    return this.reviewed(call);
  }

  /** A call whose arguments come whole, and that is still looked at. */
  callsUnseen(call: CallSketch): this {
    this.#endsArguments(call);
    return this;
  }

  /** The call whose arguments came last was looked at. */
  reviewed({ name, effect = "writes", verdict = "ask" }: CallSketch): this {
    const review = {
      valid: true,
      digest: `${name}!`,
      effect,
      replayable: false,
      text: `{"tool":"${name}"}`,
    } as const;
    const callId = this.#lastIn("deciding");
    return this.send({ type: "call.reviewed", callId, review: { ...review, verdict: VERDICTS[verdict] } });
  }

  /** A call that was looked at and can't be run. */
  callsWrongly(call: CallSketch, error: string): this {
    const callId = this.#endsArguments(call);
    return this.send({ type: "call.reviewed", callId, review: { valid: false, error } });
  }

  #endsArguments(call: CallSketch): string {
    const callId = this.begins(call);
    this.send({ type: "llm.tool.end", requestId: this.#request, callId, input: { of: call.name } });
    return callId;
  }

  /** More of the arguments of the call that began last. */
  previews(preview: string): this {
    const callId = this.#lastIn("planned");
    return this.send({ type: "llm.tool.delta", requestId: this.#request, callId, preview });
  }

  begins({ name, ask = "tool" }: CallSketch): string {
    const index = this.#index;
    const toolUseId = `tu${index}`;
    const callId = `${this.#request}/${toolUseId}`;
    this.#content.push({ type: "tool_use", id: toolUseId, name, input: { of: name } });
    this.send({ type: "llm.tool.start", requestId: this.#request, index, callId, toolUseId, name, ask });
    return callId;
  }

  finishes(stopReason: StopReason = "tool_use"): this {
    const content = this.#content;
    return this.send({ type: "llm.finished", requestId: this.#request, stopReason, content, usage: USAGE });
  }

  fails(failure: { retryable: boolean; retryAfterMs?: number; status?: number }): this {
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
    const askId = this.run.view.context.ask?.id ?? 0;
    const answer =
      kind === "text" ? { kind, text: text ?? "" } : { kind, ...(text !== undefined && { text }) };
    return this.send({ type: "ask.answered", askId, answer });
  }

  /** A policy answers for whoever did not. */
  expires(kind: "yes" | "no", rule: string): this {
    const askId = this.run.view.context.ask?.id ?? 0;
    return this.send({ type: "ask.expired", askId, answer: { kind }, rule });
  }

  /** The time of the next attempt has come. */
  waits(): this {
    return this.send({ type: "timer.fired", timerId: `retry:${this.run.view.context.retryAt}` });
  }

  outputs(text: string): this {
    return this.send({ type: "tool.output", callId: this.#running, text });
  }

  ends(text = "done", exitCode = 0): this {
    const callId = this.#running;
    const command = { command: { output: text, exitCode } };
    const content = [{ type: "text", text }] as const;
    return this.send({ type: "tool.finished", callId, content, ...(this.#isCommand(callId) && command) });
  }

  breaks(error = "no such file"): this {
    return this.send({ type: "tool.failed", callId: this.#running, error });
  }

  cancelled(): this {
    return this.send({ type: "task.cancel" });
  }

  /** The process ends, and a minute later the task is opened again. */
  crashes(left: Partial<Pick<Crash, "keepsGrowth" | "ends" | "childEnds">> = {}): this {
    this.#at += 60_000;
    const nothing = { keepsGrowth: false, ends: [], childEnds: [] } as const;
    this.run.crash({ type: "process.crashed", at: this.#at, ...nothing, ...left });
    return this;
  }

  /** The call that a subtask does the work of, or whose effect was under way. */
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
