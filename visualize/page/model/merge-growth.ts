import type { LogEvent } from "../../../machines/message/log.ts";
import { nonEmptyParts } from "../../../machines/task/commit.ts";
import type { TraceReader } from "../../trace/moment.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { lastUntil } from "./search-sorted.ts";

type Growth = Extract<LogEvent, { readonly type: "message.grown" }>;

/** The growth of an event that only appends to the text of one message. Undefined for any other event. */
export function growthIn({ record, moves }: TraceEvent): Growth | undefined {
  if (record.kind !== "commit" || record.log.length !== 1 || moves !== undefined) return undefined;
  const [change] = record.log;
  if (change?.type !== "message.grown" || record.before !== record.after) return undefined;
  return Object.keys(nonEmptyParts(record)).length === 1 ? change : undefined;
}

/** The events of a trace in which consecutive growth of one text is one event. */
export interface MergedEvents {
  readonly events: readonly TraceEvent[];
  /** The former `seq` of each event. Merged events have the former `seq` of the last. */
  readonly ends: readonly number[];
}

/** The present `seq` of a former event. */
export const placeAfter = (ends: readonly number[], former: number): number =>
  lastUntil(ends, former - 1, (end) => end) + 1;

/**
 * Merge consecutive growth of one text before the event `until` to one event, at the time of its last. Folding the
 * events gives the same messages after each event that is left. Takes O(n) time.
 */
export function mergeGrowth(trace: TraceReader, until: number): MergedEvents {
  const events: TraceEvent[] = [];
  const ends: number[] = [];
  const add = (event: TraceEvent): void => {
    const { because } = event;
    const place = because === undefined ? {} : { because: placeAfter(ends, because) };
    events.push({ ...event, seq: events.length, ...place });
    ends.push(event.seq);
  };
  for (let seq = 0; seq < trace.length; ) {
    const run = growthFrom(trace, seq, until);
    add(run === undefined ? trace.event(seq) : merged(trace.event(seq + run.length - 1), run));
    seq += run?.length ?? 1;
  }
  return { events, ends };
}

/** The consecutive growth of one text, from an event on. Undefined if it is less than two events. */
function growthFrom(trace: TraceReader, from: number, until: number): readonly Growth[] | undefined {
  const run: Growth[] = [];
  for (let seq = from; seq < until; seq += 1) {
    const growth = growthIn(trace.event(seq));
    if (growth === undefined || growth.ts !== (run[0] ?? growth).ts) break;
    run.push(growth);
  }
  return run.length > 1 ? run : undefined;
}

function merged(last: TraceEvent, run: readonly Growth[]): TraceEvent {
  if (last.record.kind !== "commit") return last;
  const [first] = run;
  const log = first === undefined ? [] : [{ ...first, text: run.map(({ text }) => text).join("") }];
  return { ...last, record: { ...last.record, log } };
}
