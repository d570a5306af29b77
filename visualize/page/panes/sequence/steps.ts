import { nonEmptyParts } from "../../../../machines/task/commit.ts";
import type { TraceReader } from "../../../trace/moment.ts";
import type { TraceEvent } from "../../../trace/trace-event.ts";

/** A line of the diagram: one event, or consecutive events that only grow the same text. */
export interface Step {
  /** The first and the last event. */
  readonly first: number;
  readonly last: number;
  /** The last event. */
  readonly event: TraceEvent;
}

/** The most events of one step, which bounds the reading for one line. */
export const STEP_MAX_EVENTS = 2_000;

/** At most `size` steps, centered on the event at `center` as far as possible. A stream of deltas is one step. */
export function stepsAround(trace: TraceReader, center: number, size: number): readonly Step[] {
  const own = stepAt(trace, center);
  const before = stepsBeside(trace, own.first, -1, size);
  const after = stepsBeside(trace, own.last, 1, size);
  const half = Math.floor(size / 2);
  // If one side has fewer, the other gets more.
  const earlier = Math.min(before.length, Math.max(half, size - 1 - after.length));
  return [...before.slice(before.length - earlier), own, ...after].slice(0, size);
}

/** At most `size - 1` steps after or before the event `from`, in the order of the trace. */
function stepsBeside(trace: TraceReader, from: number, by: 1 | -1, size: number): readonly Step[] {
  const steps: Step[] = [];
  for (let at = from + by; at >= 0 && at < trace.length && steps.length < size - 1; ) {
    const step = stepAt(trace, at);
    steps.push(step);
    at = (by === 1 ? step.last : step.first) + by;
  }
  return by === 1 ? steps : steps.reverse();
}

/** The step of the event at `at`. */
function stepAt(trace: TraceReader, at: number): Step {
  let first = at;
  let last = at;
  while (first > 0 && at - first < STEP_MAX_EVENTS && isSameStep(trace.event(first - 1), trace.event(first)))
    first -= 1;
  while (
    last + 1 < trace.length &&
    last - at < STEP_MAX_EVENTS &&
    isSameStep(trace.event(last), trace.event(last + 1))
  )
    last += 1;
  return { first, last, event: trace.event(last) };
}

const isSameStep = (one: TraceEvent, next: TraceEvent): boolean =>
  one.from === next.from &&
  isGrowth(one) &&
  isGrowth(next) &&
  causeOf(one) === causeOf(next) &&
  one.durable === next.durable;

const causeOf = ({ record }: TraceEvent): string | undefined =>
  record.kind === "commit" ? record.cause?.type : undefined;

/** Whether the event only grew a text. */
function isGrowth({ record }: TraceEvent): boolean {
  if (record.kind !== "commit" || record.before !== record.after) return false;
  const { log = [], ...others } = nonEmptyParts(record);
  return (
    log.length > 0 && log.every(({ type }) => type === "message.grown") && Object.keys(others).length === 0
  );
}
