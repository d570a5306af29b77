import type { LogEvent } from "../../../machines/message/log.ts";
import { type AgentLoopState, topState } from "../../../machines/message/states.ts";
import type { FileWrite } from "../../../machines/tool-call/file-write.ts";
import { selectedIntent } from "../../../machines/tool-call/intent.ts";
import type { RecordedCause } from "../../../wire/journal/record.ts";
import type { TraceReader } from "../../trace/moment.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { searchText, timeOf } from "./event-text.ts";

/** Consecutive events after which the task is in the same top-level state. */
export interface StateSpan {
  readonly state: AgentLoopState;
  readonly from: number;
  /** The last of them. */
  readonly to: number;
}

/** The total usage after an event. */
export interface UsageTotal {
  readonly seq: number;
  readonly at: number;
  /** Null: unknown. */
  readonly cost: number | null;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** Who approved a tool call, and in which event. */
export interface Permission {
  readonly seq: number;
  readonly by: { readonly person: true } | { readonly rule: string };
}

/** The kind of answer that closed an ask, and in which event. Its text is a message of its own. */
export interface GivenAnswer {
  readonly seq: number;
  readonly kind: string;
}

/** The files that a tool call wrote, in which event, and the intent that its task worked for. */
export interface CallWrites {
  readonly seq: number;
  readonly files: readonly FileWrite[];
  /** Undefined: the workspace has no intents, or none is selected. */
  readonly intent: string | undefined;
}

/** The moves of tool calls in one event. */
export interface MovesAt {
  readonly seq: number;
  readonly moves: NonNullable<TraceEvent["moves"]>;
}

/** Lookup tables of a trace. They grow with it: each event is read once. */
export class TraceIndex {
  /** The machine's state after each event, as a dotted path. */
  readonly paths: string[] = [];
  /** The time of each event. */
  readonly times: number[] = [];
  readonly stateSpans: StateSpan[] = [];
  readonly usage: UsageTotal[] = [];
  /** The event that appended the message with this `ts`. */
  readonly appendedBy = new Map<number, number>();
  /** By the ask's id. */
  readonly answers = new Map<number, GivenAnswer>();
  /** By the tool call's id. */
  readonly permissions = new Map<string, Permission>();
  /** The names of the called tools, by the tool call's id. */
  readonly toolNames = new Map<string, string>();
  /** The events that denied calls, by the tool call's id. */
  readonly denials = new Map<string, number>();
  /** By the tool call's id. */
  readonly writes = new Map<string, CallWrites>();
  /** The events in which tool calls moved. A journal has no moves. */
  readonly moves: MovesAt[] = [];
  #intent: string | undefined;
  /** The events of records, by their numbers: a live trace has events without a record as well. */
  readonly #events: number[] = [];
  readonly #trace: TraceReader;
  readonly #texts: string[] = [];

  constructor(trace: TraceReader) {
    this.#trace = trace;
  }

  /** Read the new events. */
  update(): this {
    for (let seq = this.paths.length; seq < this.#trace.length; seq += 1) this.#read(seq);
    return this;
  }

  /** The nearest event in this direction that starts another top-level state, or the end of the trace. */
  change(at: number, step: 1 | -1): number {
    const index = this.stateSpans.findIndex(({ from, to }) => from <= at && at <= to);
    const span = this.stateSpans[index];
    if (span === undefined) return at;
    if (step === 1) return this.stateSpans[index + 1]?.from ?? span.to;
    return at > span.from ? span.from : (this.stateSpans[index - 1]?.from ?? 0);
  }

  /** The event of a record, by its number; undefined if the trace has none. */
  readonly eventOf = (record: number): number | undefined => this.#events[record];

  /** The events that contain all words of the query. */
  find(query: string): readonly number[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    for (let seq = this.#texts.length; seq < this.paths.length; seq += 1)
      this.#texts.push(searchText(this.#trace.event(seq)));
    return this.#texts.flatMap((text, seq) => (words.every((word) => text.includes(word)) ? [seq] : []));
  }

  #read(seq: number): void {
    const event = this.#trace.event(seq);
    const { record, moves } = event;
    if (moves !== undefined) this.moves.push({ seq, moves });
    this.#events[record.seq] ??= seq;
    const path = record.kind === "commit" ? record.after : (this.paths.at(-1) ?? "no_task");
    this.paths.push(path);
    this.times.push(timeOf(event));
    const state = topState(path);
    const last = this.stateSpans.at(-1);
    if (last?.state === state) this.stateSpans[this.stateSpans.length - 1] = { ...last, to: seq };
    else this.stateSpans.push({ state, from: seq, to: seq });
    if (record.kind === "commit") this.#note(record, seq);
    if (record.kind === "effect.end") this.#noteWrites(record, seq);
  }

  #note({ facts, log, cause, decisions, calls, at }: CommitRecord, seq: number): void {
    if (facts?.total !== undefined) {
      const { cost, tokensIn, tokensOut } = facts.total;
      this.usage.push({ seq, at, cost, tokensIn, tokensOut });
    }
    for (const event of log) this.#noteMessages(event, seq);
    if (cause !== undefined) this.#noteCause(cause, seq);
    for (const { callId, by } of decisions) this.permissions.set(callId, { seq, by });
    if (facts !== undefined && "intent" in facts) this.#intent = selectedIntent(facts.intent);
    for (const call of calls) {
      const { callId, name } = call;
      this.toolNames.set(callId, name);
      if ("outcome" in call) this.#noteWrites({ callId, writes: call.outcome.writes }, seq);
    }
  }

  #noteWrites({ callId, writes }: CallEnd, seq: number): void {
    if (writes !== undefined) this.writes.set(callId, { seq, files: writes, intent: this.#intent });
  }

  #noteMessages(event: LogEvent, seq: number): void {
    const appended = event.type === "message.appended" ? [event.message] : [];
    for (const { ts, denial, callId } of event.type === "log.replaced" ? event.messages : appended) {
      if (!this.appendedBy.has(ts)) this.appendedBy.set(ts, seq);
      if (denial !== undefined && callId !== undefined) this.denials.set(callId, seq);
    }
  }

  #noteCause({ type, askId, callId, name, answer }: RecordedCause, seq: number): void {
    if (type === "ask.answered" && typeof askId === "number" && typeof answer === "object")
      this.answers.set(askId, { seq, kind: String(answer.kind) });
    if (typeof callId === "string" && typeof name === "string") this.toolNames.set(callId, name);
  }
}

interface CallEnd {
  readonly callId: string;
  readonly writes?: readonly FileWrite[] | undefined;
}

type CommitRecord = Extract<TraceEvent["record"], { readonly kind: "commit" }>;

const known = new WeakMap<TraceReader, TraceIndex>();

/** The updated index of a trace, shared by all panes. */
export function indexOf(trace: TraceReader): TraceIndex {
  const index = known.get(trace) ?? new TraceIndex(trace);
  known.set(trace, index);
  return index.update();
}
