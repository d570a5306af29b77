import type { Chart, ChartBox, ChartEdge, ChartLabel, ChartLayout, ChartPoint, ChartRoute } from "./chart.ts";
import { labelOf } from "./label.ts";
import { CHART_TEXT, NAME_HEIGHT, widthOfLabel, widthOfName } from "./text-metrics.ts";

/** Pixels between a label and other boxes, and of its edge that stay visible on both sides. */
const SPACE = 2;
const SEEN = 10;
/** Pixels between two tried positions. */
const STEP = 12;
/** The most edges that a label may cross. */
const MAX_CROSSED = 3;

interface Segment {
  readonly edge: string;
  readonly from: ChartPoint;
  readonly to: ChartPoint;
}

interface Obstacles {
  readonly solid: ChartBox[];
  readonly segments: readonly Segment[];
}

/**
 * Add labels to a layout: each on a free horizontal segment of its edge, in full or shortened, or none if there is no
 * space. If the layout engine placed all labels, the chart would be four times as large.
 */
export function withLabels(chart: Chart, layout: ChartLayout): ChartLayout {
  const obstacles: Obstacles = { solid: solidBoxes(chart, layout), segments: segmentsOf(layout) };
  const edges: Record<string, ChartRoute> = { ...layout.edges };
  // Edges with the least space come first.
  const edgesBySpace = [...chart.edges].sort((a, b) => spaceOf(layout, a) - spaceOf(layout, b));
  for (const edge of edgesBySpace) {
    const route = layout.edges[edge.id];
    const label = textsOf(edge)
      .map((text) => freePosition(edge.id, text, obstacles))
      .find((found) => found !== undefined);
    if (route === undefined || label === undefined) continue;
    obstacles.solid.push(label);
    edges[edge.id] = { ...route, label };
  }
  return { ...layout, edges };
}

const spaceOf = (layout: ChartLayout, { id }: ChartEdge): number =>
  segmentsAlong(layout.edges[id]?.points ?? []).reduce((sum, [a, b]) => sum + Math.abs(b.x - a.x), 0);

/** The texts to try, the longest first. */
function textsOf(edge: ChartEdge): readonly string[] {
  const lines = labelOf(edge);
  const [first] = lines;
  if (first === undefined) return [];
  const whole = lines.join(", ");
  const bar = first.indexOf(" | ");
  const short = `${bar < 0 ? first : first.slice(0, bar)} …`;
  return whole.length <= short.length + 1 ? [whole] : [whole, short];
}

/** The boxes that no label may cover: simple states, and the names of compound states. */
function solidBoxes({ states }: Chart, layout: ChartLayout): ChartBox[] {
  const parents = new Set(states.map(({ parent }) => parent));
  return states.flatMap(({ path, name }) => {
    const box = layout.states[path];
    if (box === undefined) return [];
    return [parents.has(path) ? { ...box, width: widthOfName(name) + 20, height: NAME_HEIGHT } : box];
  });
}

const segmentsOf = ({ edges }: ChartLayout): readonly Segment[] =>
  Object.entries(edges).flatMap(([edge, { points }]) =>
    segmentsAlong(points).map(([from, to]) => ({ edge, from, to })),
  );

const segmentsAlong = (points: readonly ChartPoint[]): (readonly [ChartPoint, ChartPoint])[] =>
  points.slice(1).flatMap((to, index) => {
    const from = points[index];
    return from === undefined ? [] : [[from, to] as const];
  });

function freePosition(edge: string, text: string, obstacles: Obstacles): ChartLabel | undefined {
  const width = widthOfLabel([text]);
  let best: { readonly crossed: number; readonly label: ChartLabel } | undefined;
  for (const { from, to } of obstacles.segments.filter((segment) => segment.edge === edge)) {
    if (from.y !== to.y) continue;
    const right = Math.max(from.x, to.x) - width - SEEN;
    for (let x = Math.min(from.x, to.x) + SEEN; x <= right; x += STEP) {
      const label = { x, y: from.y - CHART_TEXT.line / 2, width, height: CHART_TEXT.line, text };
      const crossed = crossings(edge, label, obstacles);
      if (crossed < (best?.crossed ?? MAX_CROSSED + 1)) best = { crossed, label };
      if (crossed === 0) return label;
    }
  }
  return best?.label;
}

/** The number of other edges under a label; infinite if it would cover a box. */
function crossings(edge: string, label: ChartBox, { solid, segments }: Obstacles): number {
  if (solid.some((box) => isOver(label, box))) return Number.POSITIVE_INFINITY;
  let crossed = 0;
  for (const { edge: other, from, to } of segments) {
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
    const line = { x, y, width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) };
    if (other === edge || !isOver(label, line)) continue;
    // The label would seem to belong to a parallel edge.
    if (from.y === to.y) return Number.POSITIVE_INFINITY;
    crossed += 1;
  }
  return crossed;
}

const isOver = (label: ChartBox, { x, y, width, height }: ChartBox): boolean =>
  label.x - SPACE < x + width &&
  label.x + label.width + SPACE > x &&
  label.y < y + height &&
  label.y + label.height > y;
