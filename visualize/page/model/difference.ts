import type { LogEvent } from "../../../machines/message/log.ts";
import { RecordedLog } from "../../../wire/journal/recorded-log.ts";
import type { TraceReader } from "../../trace/moment.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { nameOf } from "./event-text.ts";

/** The first event in which two traces differ. */
export interface Difference {
  readonly at: number;
  /** Its number in the other trace. */
  readonly otherAt: number;
  /** The difference, as text. */
  readonly what: string;
}

/**
 * Compare two traces, without times, ids and headers. Undefined if nothing else differs. Only what a journal records is
 * compared: a live trace also has growth of streamed text.
 */
export function firstDifference(one: TraceReader, other: TraceReader): Difference | undefined {
  const [first, second] = [recordedEvents(one), recordedEvents(other)];
  for (;;) {
    const { value: mine } = first.next();
    const { value: others } = second.next();
    if (mine === undefined && others === undefined) return undefined;
    const place = { at: mine?.event.seq ?? one.length, otherAt: others?.event.seq ?? other.length };
    if (mine === undefined) return { ...place, what: "the first trace ends here" };
    if (others === undefined) return { ...place, what: "the second trace ends here" };
    const what = differing(mine, others);
    if (what !== undefined) return { ...place, what };
  }
}

/** The event of the other trace beside the event `at` of one; the other's length if it ends before. */
export function counterpartOf(at: number, one: TraceReader, other: TraceReader): number {
  const position = recordedSeqs(one).findLastIndex((seq) => seq <= at);
  return recordedSeqs(other)[position] ?? other.length;
}

/** Growth has the number of the newest record before it. */
const isRecorded = (trace: TraceReader, seq: number): boolean =>
  seq === 0 || trace.event(seq).record.seq !== trace.event(seq - 1).record.seq;

const recordedSeqs = (trace: TraceReader): readonly number[] =>
  Array.from({ length: trace.length }, (_, seq) => seq).filter((seq) => isRecorded(trace, seq));

interface RecordedEvent {
  readonly event: TraceEvent;
  /** Its changes of the log as a journal records them. */
  readonly changes: readonly LogEvent[];
}

function* recordedEvents(trace: TraceReader): Generator<RecordedEvent, undefined> {
  const recorded = new RecordedLog();
  for (let seq = 0; seq < trace.length; seq += 1) {
    const { event, memory } = trace.moment(seq);
    const { log } = memory;
    const changes = event.record.kind === "commit" ? recorded.record(event.record.log, log) : [];
    if (isRecorded(trace, seq)) yield { event, changes };
  }
}

function differing(mine: RecordedEvent, others: RecordedEvent): string | undefined {
  const [one, other] = [mine.event, others.event];
  if (nameOf(one) !== nameOf(other)) return `event ${nameOf(one)}, not ${nameOf(other)}`;
  if (one.record.kind !== "commit" || other.record.kind !== "commit") return undefined;
  if (one.record.after !== other.record.after) return `state ${one.record.after}, not ${other.record.after}`;
  return messagesOf(mine) === messagesOf(others) ? undefined : "messages";
}

/** The changed messages of an event without their times and ids. */
const messagesOf = ({ changes }: RecordedEvent): string =>
  JSON.stringify(
    changes.map((change) => {
      switch (change.type) {
        case "message.appended": {
          const { type, ask, say, text } = change.message;
          return [change.type, type, ask ?? say, say === "api_req_started" ? "" : text];
        }
        case "message.amended":
          return [change.type, Object.keys(change.patch).sort()];
        default:
          return [change.type];
      }
    }),
  );
