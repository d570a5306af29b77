import type { Bar, BarLane } from "./lanes.ts";

/** A part of the critical path: a bar until the moment when it caused the next one. */
export interface Link {
  readonly bar: Bar;
  /** The time and the event until which it determined the end of the task. */
  readonly to: number;
  readonly last: number;
}

/** The newest event and its time: until then every open bar lasts. */
export interface TraceEnd {
  readonly seq: number;
  readonly at: number;
}

/**
 * The chain of bars that determined when the task ended, the last first: the bar that ended last, the bar whose
 * activity caused it, and so on. Takes time in proportion to its length and, once, to the number of bars.
 */
export function criticalPath(bars: readonly Bar[], end: TraceEnd): readonly Link[] {
  const links: Link[] = [];
  let until = end;
  let bar = lastOf(bars, end);
  while (bar !== undefined) {
    const to = Math.min(bar.to ?? end.at, until.at);
    links.push({ bar, to, last: Math.min(bar.last ?? end.seq, until.seq) });
    until = { seq: bar.seq, at: bar.from };
    bar = bar.cause === undefined ? undefined : bars[bar.cause];
  }
  return links;
}

/** The bar that ended last. If two ended in the same event, the one that started last. */
function lastOf(bars: readonly Bar[], end: TraceEnd): Bar | undefined {
  let found: Bar | undefined;
  for (const bar of bars) {
    if (bar.lane === "state") continue;
    if (found === undefined || (bar.last ?? end.seq + 1) >= (found.last ?? end.seq + 1)) found = bar;
  }
  return found;
}

/** The time of the path in each lane, in milliseconds, the longest first. */
export function timeByLane(path: readonly Link[]): readonly (readonly [BarLane, number])[] {
  const times = new Map<BarLane, number>();
  for (const { bar, to } of path)
    times.set(bar.lane, (times.get(bar.lane) ?? 0) + Math.max(0, to - bar.from));
  return [...times].toSorted(([, one], [, other]) => other - one);
}
