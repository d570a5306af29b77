import { lastUntil } from "../model/search-sorted.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import type { Link } from "./critical-path.ts";
import type { Bar } from "./lanes.ts";
import type { Axis } from "./time-scale.ts";

/** The positions of a trace on an axis, in pixels: by time, or by the number of the event. */
export interface Places {
  readonly axis: Axis;
  /** Whether they are by time. */
  readonly isTime: boolean;
  /** The position of the end of the axis. */
  readonly end: number;
  readonly ofBar: (bar: Bar) => readonly [from: number, to: number];
  readonly ofLink: (link: Link) => readonly [from: number, to: number];
  readonly ofEvent: (seq: number) => number;
  /** The event at a position: the last one that happened until then. */
  readonly eventAt: (x: number) => number;
}

/** The value of an event on the axis: its time or, on the axis by event, the center of its column. */
export const placeValue = (seq: number, { index }: TraceSnapshot, isTime: boolean): number =>
  isTime ? (index.times[seq] ?? 0) : seq + 0.5;

/** The positions on an axis whose values end with `end`. */
export function placesOn(axis: Axis, trace: TraceSnapshot, end: number, isTime: boolean): Places {
  const { times } = trace.index;
  const newest = trace.length - 1;
  return {
    axis,
    isTime,
    end: axis.x(end),
    ofBar: ({ from, to, seq, last }) =>
      isTime ? [axis.x(from), axis.x(to ?? end)] : [axis.x(seq), axis.x(last ?? end)],
    ofLink: ({ bar, to, last }) =>
      isTime ? [axis.x(bar.from), axis.x(to)] : [axis.x(bar.seq), axis.x(last)],
    ofEvent: (seq) => axis.x(placeValue(seq, trace, isTime)),
    eventAt(x) {
      if (!isTime) return Math.min(newest, Math.floor(axis.at(x)));
      if (x < axis.x(times[0] ?? 0)) return 0;
      return Math.max(
        0,
        lastUntil(times, axis.at(x + HALF_PIXEL), (time) => time),
      );
    },
  };
}

const HALF_PIXEL = 0.5;
