import type { ChartBox, ChartLayout, ChartPoint } from "../../chart/chart.ts";

/** The largest width of a character, height of a line, and padding of a label, in pixels. */
const CHAR_WIDTH = 12.2;
const LINE_HEIGHT = 26;
const PADDING = 12;
/** Pixels between two tried points of a route. */
const STEP = 12;

/**
 * Find the center of a label beside its route: within the chart, over as little of simple states as possible, and then
 * nearest to the midpoint of the longest segment.
 */
export function labelPlace(
  points: readonly ChartPoint[],
  lines: readonly string[],
  layout: ChartLayout,
): ChartPoint {
  const width = Math.max(0, ...lines.map((line) => line.length)) * CHAR_WIDTH + PADDING;
  const height = lines.length * LINE_HEIGHT;
  const states = simpleStates(layout);
  const middle = longestSegmentMiddle(points);
  let best = { ...middle, covered: Number.POSITIVE_INFINITY, distance: Number.POSITIVE_INFINITY };
  for (const point of [middle, ...pointsAlong(points)]) {
    const x = within(point.x, width / 2, layout.width);
    const y = within(point.y, height / 2, layout.height);
    const box = { x: x - width / 2, y: y - height / 2, width, height };
    const covered = states.reduce((sum, state) => sum + commonArea(box, state), 0);
    const distance = Math.hypot(point.x - middle.x, point.y - middle.y);
    if (covered < best.covered || (covered === best.covered && distance < best.distance))
      best = { x, y, covered, distance };
  }
  return { x: best.x, y: best.y };
}

/** `value`, at least `half` away from 0 and `size`. */
const within = (value: number, half: number, size: number): number =>
  Math.max(half, Math.min(value, size - half));

function simpleStates({ states }: ChartLayout): readonly ChartBox[] {
  const paths = Object.keys(states);
  return Object.entries(states).flatMap(([path, box]) =>
    paths.some((other) => other.startsWith(`${path}.`)) ? [] : [box],
  );
}

const commonArea = (one: ChartBox, other: ChartBox): number =>
  overlap(one.x, one.width, other.x, other.width) * overlap(one.y, one.height, other.y, other.height);

const overlap = (from: number, size: number, otherFrom: number, otherSize: number): number =>
  Math.max(0, Math.min(from + size, otherFrom + otherSize) - Math.max(from, otherFrom));

function* pointsAlong(points: readonly ChartPoint[]): Generator<ChartPoint> {
  for (const [index, to] of points.entries()) {
    const from = points[index - 1] ?? to;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    for (let done = 0; done < length; done += STEP)
      yield { x: from.x + ((to.x - from.x) * done) / length, y: from.y + ((to.y - from.y) * done) / length };
  }
}

function longestSegmentMiddle(points: readonly ChartPoint[]): ChartPoint {
  let best = { length: -1, x: 0, y: 0 };
  for (const [index, to] of points.entries()) {
    const from = points[index - 1] ?? to;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length > best.length) best = { length, x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  }
  return { x: best.x, y: best.y };
}
