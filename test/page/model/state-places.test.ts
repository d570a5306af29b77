import { describe, expect, it } from "vitest";
import { taskMachine } from "../../../machines/index.ts";
import { AGENT_LOOP_STATES } from "../../../machines/message/states.ts";
import type { ChartBox, ChartPoint } from "../../../visualize/chart/chart.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { mergedEdges } from "../../../visualize/page/model/state-graph.ts";
import {
  hasRoute,
  type OpenedState,
  type StatePlaces,
  statePlaces,
} from "../../../visualize/page/model/state-places.ts";

/** The inner sizes of the pane on phones, laptops and large screens. */
const PANES = [
  { width: 342, height: 240 },
  { width: 372, height: 420 },
  { width: 374, height: 1_000 },
  { width: 706, height: 560 },
  { width: 920, height: 1_260 },
];
/** The heights of the lists of 10, 8, 7 and 3 substates. */
const LISTS = { running: 242, idle: 192, streaming: 167, waiting_for_input: 67, no_task: 0, resumable: 0 };
const OPENED: readonly (OpenedState | undefined)[] = [
  undefined,
  ...AGENT_LOOP_STATES.map((state) => ({ state, listHeight: LISTS[state] })),
];
/** The size of a count with four digits. */
const LABEL = { width: 46, height: 18 };

const merged = mergedEdges(chartOf(taskMachine));

const CASES = PANES.flatMap((pane) =>
  OPENED.map((opened) => ({
    name: `${pane.width} x ${pane.height}, ${opened?.state ?? "all closed"}`,
    places: statePlaces(pane, opened),
    opened,
    width: pane.width,
  })),
);

/** The routes of all edges of the task machine: also the ones that no task has taken. */
const wiresOf = ({ wires }: StatePlaces) =>
  merged.map(({ id, source, target }) => {
    const wire = wires.get(id);
    if (wire === undefined) throw new Error(`Expected a route for ${id}.`);
    const { x, y } = wire.label;
    const label = { ...LABEL, x: x - LABEL.width / 2, y: y - LABEL.height / 2 };
    return { id, source, target, points: wire.points, label };
  });

const isOverlapping = (a: ChartBox, b: ChartBox): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

type Segment = readonly [ChartPoint, ChartPoint];

const segmentsOf = (points: readonly ChartPoint[]): readonly Segment[] =>
  points.slice(1).map((to, index) => [points[index]!, to]);

const turn = (a: ChartPoint, b: ChartPoint, c: ChartPoint): number =>
  Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));

const isCrossing = ([a, b]: Segment, [c, d]: Segment): boolean =>
  turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;

/** Whether a line runs through a box, not only along its border. */
function isThrough(points: readonly ChartPoint[], { x, y, width, height }: ChartBox): boolean {
  const [left, top, right, bottom] = [x + 1, y + 1, x + width - 1, y + height - 1];
  const diagonals: readonly Segment[] = [
    [
      { x: left, y: top },
      { x: right, y: bottom },
    ],
    [
      { x: right, y: top },
      { x: left, y: bottom },
    ],
  ];
  return segmentsOf(points).some((segment) => diagonals.some((diagonal) => isCrossing(segment, diagonal)));
}

const isOnBorder = (point: ChartPoint | undefined, { x, y, width, height }: ChartBox): boolean => {
  if (point === undefined) return false;
  const isInside = point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;
  return isInside && (point.x === x || point.x === x + width || point.y === y || point.y === y + height);
};

describe("the places of the six states", () => {
  it("have a route for each of at most 15 merged edges of the task machine", () => {
    expect(merged.length).toBeLessThanOrEqual(15);
    expect(merged.filter(({ id }) => !hasRoute(id))).toEqual([]);
  });

  it.each(CASES)("overlap no other state ($name)", ({ places: { boxes } }) => {
    const all = Object.entries(boxes);
    const overlaps = all.flatMap(([state, box], index) =>
      all.slice(index + 1).flatMap(([other, its]) => (isOverlapping(box, its) ? `${state} ${other}` : [])),
    );
    expect(overlaps).toEqual([]);
  });

  it.each(CASES)("are connected from border to border, through no other state ($name)", ({ places }) => {
    for (const { id, source, target, points } of wiresOf(places)) {
      expect(isOnBorder(points[0], places.boxes[source]), `${id} begins at its source`).toBe(true);
      expect(isOnBorder(points.at(-1), places.boxes[target]), `${id} ends at its target`).toBe(true);
      const covered = AGENT_LOOP_STATES.filter((state) => isThrough(points, places.boxes[state]));
      expect(covered, id).toEqual([]);
    }
  });

  it.each(CASES)("are connected without a crossing ($name)", ({ places }) => {
    const segments = wiresOf(places).flatMap(({ id, points }) =>
      segmentsOf(points).map((segment) => ({ id, segment })),
    );
    const crossings = segments.flatMap(({ id, segment }, index) =>
      segments
        .slice(index + 1)
        .flatMap((other) => (isCrossing(segment, other.segment) ? `${id} x ${other.id}` : [])),
    );
    expect(crossings).toEqual([]);
  });

  it.each(CASES)("have counts over no state and over no other count ($name)", ({ places }) => {
    const wires = wiresOf(places);
    const covered = wires.flatMap(({ id, label }, index) => [
      ...AGENT_LOOP_STATES.flatMap((state) =>
        isOverlapping(label, places.boxes[state]) ? `${id} on ${state}` : [],
      ),
      ...wires
        .slice(index + 1)
        .flatMap((other) => (isOverlapping(label, other.label) ? `${id} on ${other.id}` : [])),
    ]);
    expect(covered).toEqual([]);
  });

  it.each(CASES)("are within the drawing, with all routes and counts ($name)", ({ places }) => {
    const { width, height, boxes } = places;
    const points = wiresOf(places).flatMap(({ points, label }) => [
      ...points,
      label,
      { x: label.x + label.width, y: label.y + label.height },
    ]);
    const corners = Object.values(boxes).map((box) => ({ x: box.x + box.width, y: box.y + box.height }));
    for (const { x, y } of [...points, ...corners]) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(width);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(height);
    }
  });

  it.each(CASES)("have the same least height in a pane of any height: $name", ({ places, opened, width }) => {
    for (const height of [0, 100, places.minHeight, 2_000]) {
      const other = statePlaces({ width, height }, opened);
      expect(other.minHeight).toBe(places.minHeight);
      expect(other.height).toBeGreaterThanOrEqual(other.minHeight);
      if (height <= other.minHeight) expect(other.height).toBe(other.minHeight);
    }
  });

  it("fit into a pane of 390 px that a frame surrounds", () => {
    for (const opened of OPENED)
      expect(statePlaces({ width: 372, height: 420 }, opened).width).toBeLessThanOrEqual(372);
  });
});
