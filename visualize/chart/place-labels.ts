import type { Chart, ChartBox, ChartEdge, ChartLabel, ChartLayout, ChartPoint, ChartWay } from "./chart.ts";
import { labelOf } from "./label.ts";
import { CHART_TEXT, NAME_HEIGHT, widthOfLabel, widthOfName } from "./measure.ts";

/** Pixels that a label keeps from what it must not touch, and that its arrow is seen on both its sides. */
const SPACE = 2;
const SEEN = 10;
/** Pixels from one place that is tried to the next. */
const STEP = 12;
/** Arrows that a label may lie across: the fewer the better. */
const MAX_CROSSED = 3;

interface Segment {
  readonly edge: string;
  readonly from: ChartPoint;
  readonly to: ChartPoint;
}

interface Places {
  readonly solid: ChartBox[];
  readonly segments: readonly Segment[];
}

/**
 * Gives a layout its labels: each on a level stretch of its own arrow that is free, in full or shortened. Where there
 * is no room it has none. Laid out with all their labels, the arrows of a machine of this size take four times the room.
 */
export function withLabels(chart: Chart, layout: ChartLayout): ChartLayout {
  const places: Places = { solid: solidBoxes(chart, layout), segments: segmentsOf(layout) };
  const edges: Record<string, ChartWay> = { ...layout.edges };
  // Those with the least room choose first.
  const edgesByRoom = [...chart.edges].sort((a, b) => roomOf(layout, a) - roomOf(layout, b));
  for (const edge of edgesByRoom) {
    const way = layout.edges[edge.id];
    const label = textsOf(edge)
      .map((text) => freePlace(edge.id, text, places))
      .find((found) => found !== undefined);
    if (way === undefined || label === undefined) continue;
    places.solid.push(label);
    edges[edge.id] = { ...way, label };
  }
  return { ...layout, edges };
}

const roomOf = (layout: ChartLayout, { id }: ChartEdge): number =>
  stretches(layout.edges[id]?.points ?? []).reduce((sum, [a, b]) => sum + Math.abs(b.x - a.x), 0);

/** What may stand there, the longest first. */
function textsOf(edge: ChartEdge): readonly string[] {
  const lines = labelOf(edge);
  const [first] = lines;
  if (first === undefined) return [];
  const whole = lines.join(", ");
  const bar = first.indexOf(" | ");
  const short = `${bar < 0 ? first : first.slice(0, bar)} …`;
  return whole.length <= short.length + 1 ? [whole] : [whole, short];
}

/** What no label may cover: states that hold none, and the names of the others. */
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
    stretches(points).map(([from, to]) => ({ edge, from, to })),
  );

const stretches = (points: readonly ChartPoint[]): (readonly [ChartPoint, ChartPoint])[] =>
  points.slice(1).flatMap((to, index) => {
    const from = points[index];
    return from === undefined ? [] : [[from, to] as const];
  });

function freePlace(edge: string, text: string, places: Places): ChartLabel | undefined {
  const width = widthOfLabel([text]);
  let best: { readonly crossed: number; readonly label: ChartLabel } | undefined;
  for (const { from, to } of places.segments.filter((segment) => segment.edge === edge)) {
    if (from.y !== to.y) continue;
    const right = Math.max(from.x, to.x) - width - SEEN;
    for (let x = Math.min(from.x, to.x) + SEEN; x <= right; x += STEP) {
      const label = { x, y: from.y - CHART_TEXT.line / 2, width, height: CHART_TEXT.line, text };
      const crossed = crossings(edge, label, places);
      if (crossed < (best?.crossed ?? MAX_CROSSED + 1)) best = { crossed, label };
      if (crossed === 0) return label;
    }
  }
  return best?.label;
}

/** How many other arrows lie beneath a label; too many where it would hide what it may not. */
function crossings(edge: string, label: ChartBox, { solid, segments }: Places): number {
  if (solid.some((box) => isOver(label, box.x, box.y, box.x + box.width, box.y + box.height)))
    return Number.POSITIVE_INFINITY;
  let crossed = 0;
  for (const { edge: other, from, to } of segments) {
    const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
    const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
    if (other === edge || !isOver(label, left, top, right, bottom)) continue;
    // An arrow alongside would seem to be what is labelled.
    if (from.y === to.y) return Number.POSITIVE_INFINITY;
    crossed += 1;
  }
  return crossed;
}

const isOver = (
  { x, y, width, height }: ChartBox,
  left: number,
  top: number,
  right: number,
  bottom: number,
) => x - SPACE < right && x + width + SPACE > left && y < bottom && y + height > top;
