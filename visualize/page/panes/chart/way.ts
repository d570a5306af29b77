import type { ChartPoint } from "../../../chart/index.ts";

const RADIUS = 5;

/** A way as an SVG path with rounded corners. */
export function pathOf(points: readonly ChartPoint[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let before = first;
  let path = `M${first.x} ${first.y}`;
  for (const [index, corner] of rest.entries()) {
    const after = rest[index + 1];
    if (after === undefined) path += `L${corner.x} ${corner.y}`;
    else {
      const [from, to] = [near(corner, before), near(corner, after)];
      path += `L${from.x} ${from.y}Q${corner.x} ${corner.y} ${to.x} ${to.y}`;
    }
    before = corner;
  }
  return path;
}

function near(corner: ChartPoint, other: ChartPoint): ChartPoint {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}

/** The middle of a way's longest straight piece: a label has most room there. */
export function middleOf(points: readonly ChartPoint[]): ChartPoint {
  let best = { length: -1, x: 0, y: 0 };
  for (const [index, to] of points.entries()) {
    const from = points[index - 1];
    if (from === undefined) continue;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length > best.length) best = { length, x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  }
  return { x: best.x, y: best.y };
}
