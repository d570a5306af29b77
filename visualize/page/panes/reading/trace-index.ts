import type { LogEvent } from "../../../../machines/message/index.ts";
import type { TraceEvent, TraceReader } from "../../../../trace/index.ts";
import type { RecordedCause } from "../../../../wire/index.ts";

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

/** Where in a trace things are that a moment doesn't say. */
export interface TraceIndex {
  /** The event that first appended the row of this `ts`. */
  readonly rows: ReadonlyMap<number, number>;
  /** By the ask's id, which is its row's `ts`. */
  readonly answers: ReadonlyMap<number, GivenAnswer>;
  /** By the call's id. */
  readonly permissions: ReadonlyMap<string, Permission>;
  /** The names of the tools that were called, by the call's id. */
  readonly names: ReadonlyMap<string, string>;
}

interface Growing extends TraceIndex {
  readonly rows: Map<number, number>;
  readonly answers: Map<number, GivenAnswer>;
  readonly permissions: Map<string, Permission>;
  readonly names: Map<string, string>;
  read: number;
}

const known = new WeakMap<TraceReader, Growing>();

/** The index of a trace as long as it now is. Each event is read once, however often this is asked for. */
export function indexOf(trace: TraceReader): TraceIndex {
  let index = known.get(trace);
  if (index === undefined) {
    index = { rows: new Map(), answers: new Map(), permissions: new Map(), names: new Map(), read: 0 };
    known.set(trace, index);
  }
  for (; index.read < trace.length; index.read += 1) note(index, trace.event(index.read));
  return index;
}

function note(index: Growing, { seq, record }: TraceEvent): void {
  if (record.kind !== "commit") return;
  for (const event of record.log) noteRows(index, event, seq);
  if (record.cause !== undefined) noteCause(index, record.cause, seq);
  for (const { callId, by } of record.decisions) index.permissions.set(callId, { seq, by });
  for (const { callId, name } of record.calls) index.names.set(callId, name);
}

function noteRows({ rows }: Growing, event: LogEvent, seq: number): void {
  if (event.type === "message.appended") {
    if (!rows.has(event.message.ts)) rows.set(event.message.ts, seq);
  } else if (event.type === "log.replaced") {
    for (const { ts } of event.messages) if (!rows.has(ts)) rows.set(ts, seq);
  }
}

function noteCause({ answers, names }: Growing, cause: RecordedCause, seq: number): void {
  const { type, askId, callId, name, answer } = cause;
  if (type === "ask.answered" && typeof askId === "number" && typeof answer === "object")
    answers.set(askId, { seq, kind: String(answer.kind) });
  if (typeof callId === "string" && typeof name === "string") names.set(callId, name);
}
