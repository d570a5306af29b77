import type { LogEvent } from "../../../machines/message/log.ts";
import { selectedIntent } from "../../../machines/tool-call/intent.ts";
import type { CommitRecord, RecordedCause } from "../../../wire/journal/record.ts";
import type { TraceReader } from "../../trace/moment.ts";
import { TimelineIndex } from "../timeline/timeline-index.ts";
import { searchText, timeOf } from "./event-text.ts";
import { LawIndex } from "./laws.ts";
import { ProblemIndex } from "./problems.ts";
import {
  type CallOutcome,
  type CallWrites,
  extendSpans,
  type GivenAnswer,
  type MovesAt,
  type Permission,
  type StateSpan,
  type TraceIndex,
  traceIndex,
  type UsageTotal,
} from "./trace-index.ts";
import { TurnIndex } from "./turn-index.ts";

/** Reads a growing trace once, and gives the index of the events that it has at the time. */
export class TraceIndexer {
  readonly #trace: TraceReader;
  readonly #paths: string[] = [];
  readonly #times: number[] = [];
  readonly #stateSpans: StateSpan[] = [];
  readonly #usage: UsageTotal[] = [];
  readonly #appendedBy = new Map<number, number>();
  readonly #answers = new Map<number, GivenAnswer>();
  readonly #permissions = new Map<string, Permission>();
  readonly #toolNames = new Map<string, string>();
  readonly #denials = new Map<string, number>();
  readonly #outcomes = new Map<string, CallOutcome>();
  readonly #writes = new Map<string, CallWrites>();
  readonly #moves: MovesAt[] = [];
  readonly #laws: LawIndex;
  readonly #problems = new ProblemIndex();
  readonly #timeline = new TimelineIndex();
  readonly #turns = new TurnIndex();
  readonly #events: number[] = [];
  /** The texts of the events that a search has read. */
  readonly #texts: string[] = [];
  #intent: string | undefined;

  constructor(trace: TraceReader) {
    this.#trace = trace;
    this.#laws = new LawIndex(trace);
  }

  /** Check the laws on at most `max` more events. Returns whether all are checked. */
  checkLaws(max: number): boolean {
    return this.#laws.check(max);
  }

  /**
   * Read the new events, and check the laws on at most `maxLaws` of those that are not checked. The index is a copy:
   * events that follow do not change it.
   */
  index(maxLaws = Number.POSITIVE_INFINITY): TraceIndex {
    this.#laws.check(maxLaws);
    const laws = this.#laws.found();
    for (let seq = this.#paths.length; seq < this.#trace.length; seq += 1) this.#read(seq);
    const tables = {
      paths: [...this.#paths],
      times: [...this.#times],
      stateSpans: [...this.#stateSpans],
      usage: [...this.#usage],
      appendedBy: new Map(this.#appendedBy),
      answers: new Map(this.#answers),
      permissions: new Map(this.#permissions),
      toolNames: new Map(this.#toolNames),
      denials: new Map(this.#denials),
      outcomes: new Map(this.#outcomes),
      writes: new Map(this.#writes),
      moves: [...this.#moves],
      laws,
      problems: this.#problems.found(laws.broken),
      timeline: this.#timeline.found(),
      turns: this.#turns.found(),
      events: [...this.#events],
    };
    return traceIndex(tables, this.#textOf);
  }

  readonly #textOf = (seq: number): string => {
    this.#texts[seq] ??= searchText(this.#trace.event(seq));
    return this.#texts[seq];
  };

  #read(seq: number): void {
    const event = this.#trace.event(seq);
    const { record, moves } = event;
    if (moves !== undefined) this.#moves.push({ seq, moves });
    this.#events[record.seq] ??= seq;
    const path = record.kind === "commit" ? record.after : (this.#paths.at(-1) ?? "no_task");
    this.#paths.push(path);
    const time = timeOf(event);
    // The header of a fork is younger than the records that it shares.
    if (seq === 1) this.#times[0] = Math.min(this.#times[0] ?? time, time);
    const at = Math.max(this.#times.at(-1) ?? time, time);
    this.#times.push(at);
    extendSpans(this.#stateSpans, path, seq);
    if (record.kind === "commit") this.#note(record, seq);
    if (record.kind === "effect.end") this.#noteWrites(record, seq);
    this.#timeline.read(event, at);
    this.#turns.read(event);
    this.#problems.read(event);
  }

  #note({ facts, log, cause, decisions, calls, at }: CommitRecord, seq: number): void {
    if (facts?.total !== undefined) {
      const { cost, tokensIn, tokensOut } = facts.total;
      this.#usage.push({ seq, at, cost, tokensIn, tokensOut });
    }
    for (const event of log) this.#noteMessages(event, seq);
    if (cause !== undefined) this.#noteCause(cause, seq);
    for (const { callId, by } of decisions) this.#permissions.set(callId, { seq, by });
    if (facts !== undefined && "intent" in facts) this.#intent = selectedIntent(facts.intent);
    for (const call of calls) {
      const { callId, name } = call;
      this.#toolNames.set(callId, name);
      if (!("outcome" in call)) continue;
      this.#outcomes.set(callId, { seq: this.#outcomes.get(callId)?.seq ?? seq, kind: call.outcome.kind });
      this.#noteWrites({ callId, writes: call.outcome.writes }, seq);
    }
  }

  #noteWrites({ callId, writes }: CallEnd, seq: number): void {
    if (writes !== undefined) this.#writes.set(callId, { seq, files: writes, intent: this.#intent });
  }

  #noteMessages(event: LogEvent, seq: number): void {
    const appended = event.type === "message.appended" ? [event.message] : [];
    for (const { ts, denial, callId } of event.type === "log.replaced" ? event.messages : appended) {
      if (!this.#appendedBy.has(ts)) this.#appendedBy.set(ts, seq);
      if (denial !== undefined && callId !== undefined) this.#denials.set(callId, seq);
    }
  }

  #noteCause({ type, askId, callId, name, answer, rule }: RecordedCause, seq: number): void {
    const isAnswer = type === "ask.answered" || type === "ask.expired";
    if (isAnswer && typeof askId === "number" && typeof answer === "object")
      this.#answers.set(askId, {
        ...{ seq, kind: String(answer.kind) },
        ...(type === "ask.expired" && { rule: String(rule) }),
      });
    if (typeof callId === "string" && typeof name === "string") this.#toolNames.set(callId, name);
  }
}

interface CallEnd {
  readonly callId: string;
  readonly writes?: CallWrites["files"] | undefined;
}
