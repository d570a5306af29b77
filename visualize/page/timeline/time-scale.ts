import { utcTicks } from "d3-time";
import type { Quiet, QuietReason } from "./lanes.ts";
import { piecewise, wholeTicks } from "./piecewise.ts";
import { QUIET_MIN_MS } from "./timeline-index.ts";

/** A wait that has a notch in place of its length. Times are in milliseconds since 1970. */
export interface Fold {
  readonly reason: QuietReason;
  /** The event that started the wait: its name. */
  readonly seq: number;
  readonly from: number;
  readonly to: number;
}

/** A wait, until the end of the axis if it lasts. */
export const untilEnd = ({ to = Number.POSITIVE_INFINITY, ...wait }: Quiet, end: number): Fold => ({
  ...wait,
  to: Math.min(to, end),
});

/** The values that an axis shows, and its width in pixels. */
export interface Extent {
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

/** The space beside the first and the last value, in pixels. */
const PAD = 6;
/** The width of a notch in pixels, and the largest share of the width that all notches have. */
const NOTCH = 112;
const NOTCHES_MAX = 0.5;
/** The most waits that are folded: the longest ones. */
const FOLDS_MAX = 24;
/** The shortest distance of two ticks, in pixels, and the space that a tick's text needs. */
const TICK = 96;
const TICK_TEXT = 74;

/** The waits that are longer than their notches would be, except the opened ones, from left to right. */
export function foldsOf(
  quiet: readonly Quiet[],
  { start, end, width }: Extent,
  opened: ReadonlySet<number>,
): readonly Fold[] {
  const waits = quiet
    .map((wait) => untilEnd(wait, end))
    .filter(({ seq, from, to }) => to - from >= QUIET_MIN_MS && !opened.has(seq))
    .toSorted((one, other) => other.to - other.from - (one.to - one.from))
    .slice(0, FOLDS_MAX);
  const folded = waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const notch = notchWidth(width, waits.length);
  const perPixel = (end - start - folded) / Math.max(1, width - waits.length * notch);
  return waits
    .filter(({ from, to }) => to - from > notch * perPixel)
    .toSorted((one, other) => one.from - other.from);
}

const notchWidth = (width: number, count: number): number =>
  Math.min(NOTCH, (width * NOTCHES_MAX) / Math.max(1, count));

/** A fold on the axis, in pixels. */
export interface Notch {
  readonly fold: Fold;
  readonly x: number;
  readonly width: number;
}

/** The shown part of an axis, in units of its values, without the folded ones. */
export type View = readonly [from: number, to: number];

export interface Tick {
  readonly x: number;
  /** The value since the start of the axis. */
  readonly value: number;
}

/** A linear axis with notches in place of folded waits. */
export interface Axis {
  /** The position of a value, in pixels. It may be outside of the axis. */
  readonly x: (value: number) => number;
  /** The value at a position, at most the last one. */
  readonly at: (x: number) => number;
  /** The position in the view's units. */
  readonly inView: (x: number) => number;
  /** The position of a value in the view's units. */
  readonly unitOf: (value: number) => number;
  /** The value of a unit of the view. */
  readonly valueOf: (unit: number) => number;
  /** The length of the whole axis in the view's units. */
  readonly span: number;
  readonly view: View;
  readonly notches: readonly Notch[];
  readonly ticks: readonly Tick[];
}

export interface AxisOptions extends Extent {
  readonly folds: readonly Fold[];
  /** Undefined: the whole axis. */
  readonly view: View | undefined;
  /** Whether the values are milliseconds; otherwise they are numbers of events. */
  readonly isTime: boolean;
}

/** The axis of these values. */
export function axisOf({ start, end, width, folds, view, isTime }: AxisOptions): Axis {
  const last = Math.max(end, start + 1);
  // The starts and the ends of the parts between the folds.
  const edges = [start, ...folds.flatMap(({ from, to }) => [from, to]), last];
  const units = unitsOf(edges);
  const span = Math.max(1, units.at(-1) ?? 1);
  const seen: View = (view && within(view, span)) ?? [0, span];
  const [left, right] = seen;
  const isShown = folds.map((_, index) => {
    const unit = units[2 * index + 1] ?? 0;
    return unit >= left && unit <= right;
  });
  const shown = isShown.filter(Boolean).length;
  const notch = notchWidth(width, shown);
  const perUnit = Math.max(1, width - 2 * PAD - notch * shown) / (right - left);
  let passed = 0;
  const xs = units.map((unit, index) => {
    if (index > 0 && index % 2 === 0 && isShown[index / 2 - 1] === true) passed += notch;
    return PAD + (unit - left) * perUnit + passed;
  });
  const scale = piecewise(edges, xs);
  const valueAt = piecewise(xs, edges);
  const at = (x: number): number => clamped(valueAt(x), start, last);
  const toUnit = piecewise(edges, units);
  const unitOf = (value: number): number => toUnit(clamped(value, start, last));
  const fromUnit = piecewise(units, edges);
  const parts = folds.map((_, index) => index).concat(folds.length);
  return {
    x: scale,
    at,
    inView: (x) => unitOf(at(x)),
    unitOf,
    valueOf: (unit) => clamped(fromUnit(unit), start, last),
    span,
    view: seen,
    notches: folds.flatMap((fold, index) =>
      isShown[index] === true ? [{ fold, x: scale(fold.from), width: notch }] : [],
    ),
    ticks: parts.flatMap((part) => {
      const from = Math.max(xs[2 * part] ?? 0, 0);
      const to = Math.min(xs[2 * part + 1] ?? 0, width);
      if (to - from < TICK_TEXT) return [];
      const values = [at(from) - start, at(to) - start] as const;
      return ticksOf(values, (to - from) / TICK, isTime)
        .map((value) => ({ value, x: scale(start + value) }))
        .filter(({ x }) => x >= from - 1 && x + TICK_TEXT <= to + PAD);
    }),
  };
}

const clamped = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value));

/** The position of each edge where folds have no length. */
function unitsOf(edges: readonly number[]): readonly number[] {
  let unit = 0;
  return edges.map((edge, index) => {
    if (index % 2 === 1) unit += edge - (edges[index - 1] ?? edge);
    return unit;
  });
}

/** Round values. Times get multiples of a unit of time; events get whole numbers. */
function ticksOf([from, to]: readonly [number, number], count: number, isTime: boolean): readonly number[] {
  return isTime ? utcTicks(new Date(from), new Date(to), count).map(Number) : wholeTicks(from, to, count);
}

/** The view zoomed by a factor around a position on the axis; undefined: the whole axis. */
export function zoomed(
  { view: [from, to], inView, span }: Axis,
  factor: number,
  x: number,
): View | undefined {
  const around = inView(x);
  const size = (to - from) / factor;
  const left = around - ((around - from) / (to - from)) * size;
  return within([left, left + size], span);
}

/** The smallest view, in milliseconds or events. */
const SMALLEST = 4;

/** The view moved by a share of its size. */
export function panned({ view: [from, to], span }: Axis, share: number): View | undefined {
  const by = (to - from) * share;
  return within([from + by, to + by], span);
}

/** The view moved so that a value is in it; the same one if it is. */
export function including(axis: Axis, value: number): View | undefined {
  const [from, to] = axis.view;
  const unit = axis.unitOf(value);
  if (unit >= from && unit <= to) return within(axis.view, axis.span);
  return within([unit - (to - from) / 2, unit + (to - from) / 2], axis.span);
}

/** The view inside of the axis, the same one if it fits; undefined if it is the whole axis. */
export function within(view: View, span: number): View | undefined {
  const [from, to] = view;
  const size = Math.min(span, Math.max(SMALLEST, to - from));
  const left = Math.min(span - size, Math.max(0, from));
  if (size >= span) return undefined;
  return left === from && size === to - from ? view : [left, left + size];
}
