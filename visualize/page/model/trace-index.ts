import type { AgentLoopState, LogEvent } from "../../../machines/index.ts";
import type { TraceEvent, TraceReader } from "../../../trace/index.ts";
import type { RecordedCause } from "../../../wire/index.ts";
import { timeOf, wordsOf } from "./event-words.ts";
import { topOf } from "./state.ts";

/** Events one after another that leave the task in the same of the six states. */
export interface Stretch {
  readonly state: AgentLoopState;
  readonly from: number;
  /** The last of them. */
  readonly to: number;
}

/** What the task had used after an event. */
export interface Spent {
  readonly seq: number;
  readonly at: number;
  readonly cost: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** Who permitted a call, and where in the trace. */
export interface Permission {
  readonly seq: number;
  readonly by: { readonly person: true } | { readonly rule: string };
}

/** An answer that closed an ask, and where in the trace. Its words stand in a row of their own. */
export interface GivenAnswer {
  readonly seq: number;
  readonly kind: string;
}

/** What the page looks up in a trace again and again. It grows with the trace: each event is read once. */
export class TraceIndex {
  /** The machine's state after each event, as a dotted path. */
  readonly paths: string[] = [];
  /** When each event happened. */
  readonly times: number[] = [];
  readonly stretches: Stretch[] = [];
  readonly spent: Spent[] = [];
  /** The event that first appended the row of this `ts`. */
  readonly rows = new Map<number, number>();
  /** By the ask's id, which is its row's `ts`. */
  readonly answers = new Map<number, GivenAnswer>();
  /** By the call's id. */
  readonly permissions = new Map<string, Permission>();
  /** The names of the tools that were called, by the call's id. */
  readonly names = new Map<string, string>();
  readonly #trace: TraceReader;
  readonly #words: string[] = [];

  constructor(trace: TraceReader) {
    this.#trace = trace;
  }

  /** Reads what the trace has grown by. */
  update(): this {
    for (let seq = this.paths.length; seq < this.#trace.length; seq += 1) this.#read(seq);
    return this;
  }

  /** The nearest place in this direction where another of the six states begins, or the end there. */
  change(at: number, step: 1 | -1): number {
    const place = this.stretches.findIndex(({ from, to }) => from <= at && at <= to);
    const here = this.stretches[place];
    if (here === undefined) return at;
    if (step === 1) return this.stretches[place + 1]?.from ?? here.to;
    return at > here.from ? here.from : (this.stretches[place - 1]?.from ?? 0);
  }

  /** The places whose events hold all of these words. */
  find(query: string): readonly number[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    for (let seq = this.#words.length; seq < this.paths.length; seq += 1)
      this.#words.push(wordsOf(this.#trace.event(seq)));
    return this.#words.flatMap((text, seq) => (words.every((word) => text.includes(word)) ? [seq] : []));
  }

  #read(seq: number): void {
    const event = this.#trace.event(seq);
    const { record } = event;
    const path = record.kind === "commit" ? record.after : (this.paths.at(-1) ?? "no_task");
    this.paths.push(path);
    this.times.push(timeOf(event));
    const state = topOf(path);
    const last = this.stretches.at(-1);
    if (last?.state === state) this.stretches[this.stretches.length - 1] = { ...last, to: seq };
    else this.stretches.push({ state, from: seq, to: seq });
    if (record.kind === "commit") this.#note(record, seq);
  }

  #note({ facts, log, cause, decisions, calls, at }: CommitRecord, seq: number): void {
    if (facts?.total !== undefined) {
      const { cost, tokensIn, tokensOut } = facts.total;
      this.spent.push({ seq, at, cost, tokensIn, tokensOut });
    }
    for (const event of log) this.#noteRows(event, seq);
    if (cause !== undefined) this.#noteCause(cause, seq);
    for (const { callId, by } of decisions) this.permissions.set(callId, { seq, by });
    for (const { callId, name } of calls) this.names.set(callId, name);
  }

  #noteRows(event: LogEvent, seq: number): void {
    const { rows } = this;
    if (event.type === "message.appended") {
      if (!rows.has(event.message.ts)) rows.set(event.message.ts, seq);
    } else if (event.type === "log.replaced") {
      for (const { ts } of event.messages) if (!rows.has(ts)) rows.set(ts, seq);
    }
  }

  #noteCause({ type, askId, callId, name, answer }: RecordedCause, seq: number): void {
    if (type === "ask.answered" && typeof askId === "number" && typeof answer === "object")
      this.answers.set(askId, { seq, kind: String(answer.kind) });
    if (typeof callId === "string" && typeof name === "string") this.names.set(callId, name);
  }
}

type CommitRecord = Extract<TraceEvent["record"], { readonly kind: "commit" }>;

const known = new WeakMap<TraceReader, TraceIndex>();

/** The index of a trace as long as it now is: one for all panes. */
export function indexOf(trace: TraceReader): TraceIndex {
  const index = known.get(trace) ?? new TraceIndex(trace);
  known.set(trace, index);
  return index.update();
}
