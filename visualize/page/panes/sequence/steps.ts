import type { TraceEvent, TraceReader } from "../../../../trace/index.ts";

/** A line of the picture: one event, or a run of them that only let the same text grow. */
export interface Step {
  /** The places of the first and the last event of the run. */
  readonly first: number;
  readonly last: number;
  /** The last one. */
  readonly event: TraceEvent;
}

/** The most events of one run, and so the most that are read for one line. */
export const RUN_MAX_EVENTS = 2_000;

/**
 * The lines around the event at `middle`: at most `size`, with its own in their middle as far as the ends of the trace
 * allow. A stream of deltas is one line, so that it hides nothing beside it.
 */
export function stepsAround(trace: TraceReader, middle: number, size: number): readonly Step[] {
  const own = stepAt(trace, middle);
  const before = stepsBefore(trace, own.first, size);
  const after = stepsAfter(trace, own.last, size);
  const half = Math.floor(size / 2);
  // What one side lacks, the other may have.
  const earlier = Math.min(before.length, Math.max(half, size - 1 - after.length));
  return [...before.slice(before.length - earlier), own, ...after].slice(0, size);
}

function stepsBefore(trace: TraceReader, first: number, size: number): readonly Step[] {
  const steps: Step[] = [];
  for (let at = first - 1; at >= 0 && steps.length < size - 1; ) {
    const step = stepAt(trace, at);
    steps.push(step);
    at = step.first - 1;
  }
  return steps.reverse();
}

function stepsAfter(trace: TraceReader, last: number, size: number): readonly Step[] {
  const steps: Step[] = [];
  for (let at = last + 1; at < trace.length && steps.length < size - 1; ) {
    const step = stepAt(trace, at);
    steps.push(step);
    at = step.last + 1;
  }
  return steps;
}

/** The line on which the event at `at` is. */
function stepAt(trace: TraceReader, at: number): Step {
  let first = at;
  let last = at;
  while (first > 0 && at - first < RUN_MAX_EVENTS && isOneRun(trace.event(first - 1), trace.event(first)))
    first -= 1;
  while (
    last + 1 < trace.length &&
    last - at < RUN_MAX_EVENTS &&
    isOneRun(trace.event(last), trace.event(last + 1))
  )
    last += 1;
  return { first, last, event: trace.event(last) };
}

const isOneRun = (one: TraceEvent, next: TraceEvent): boolean =>
  one.from === next.from &&
  onlyGrows(one) &&
  onlyGrows(next) &&
  causeOf(one) === causeOf(next) &&
  one.durable === next.durable;

const causeOf = ({ record }: TraceEvent): string | undefined =>
  record.kind === "commit" ? record.cause?.type : undefined;

/** Whether nothing came of the event but more of a text. */
function onlyGrows({ record }: TraceEvent): boolean {
  return (
    record.kind === "commit" &&
    record.before === record.after &&
    record.log.length > 0 &&
    record.log.every(({ type }) => type === "message.grown") &&
    record.effects.length === 0 &&
    record.calls.length === 0 &&
    record.decisions.length === 0 &&
    record.conversation.length === 0 &&
    record.reports.length === 0 &&
    record.queue === undefined &&
    !record.turnEnded
  );
}
