import type { ChartPoint } from "./chart.ts";

const RADIUS = 6;

/** A route as an SVG path with rounded corners. */
export function roundedPath(points: readonly ChartPoint[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let before = first;
  const parts = [`M${first.x} ${first.y}`];
  for (const [index, corner] of rest.entries()) {
    const after = rest[index + 1];
    if (after === undefined) parts.push(`L${corner.x} ${corner.y}`);
    else {
      const from = towards(corner, before);
      const to = towards(corner, after);
      parts.push(`L${from.x} ${from.y} Q${corner.x} ${corner.y} ${to.x} ${to.y}`);
    }
    before = corner;
  }
  return parts.join(" ");
}

/** A point near `from` towards `to`, at most half way. */
function towards(from: ChartPoint, to: ChartPoint): ChartPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  const at = (a: number, b: number): number => Math.round((a + (b - a) * share) * 10) / 10;
  return { x: at(from.x, to.x), y: at(from.y, to.y) };
}
