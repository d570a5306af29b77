import type { AgentLoopState } from "../../../machines/message/states.ts";
import type { ChartBox, ChartPoint } from "../../chart/chart.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A state that shows its substates, and the height that their list needs, in pixels. */
export interface OpenedState {
  readonly state: AgentLoopState;
  readonly listHeight: number;
}

/** The route of an edge, and the center of its label. */
export interface WirePlace {
  readonly points: readonly ChartPoint[];
  readonly label: ChartPoint;
}

/** The boxes of the six states and the routes between them, in pixels. It is never smaller than its texts need. */
export interface StatePlaces extends Size {
  /** The height that its texts need in a pane of this width. */
  readonly minHeight: number;
  readonly boxes: Boxes;
  /** By the edge's id. */
  readonly wires: ReadonlyMap<string, WirePlace>;
}

type Boxes = Readonly<Record<AgentLoopState, ChartBox>>;

/** The column and the row of each state. The arrangement is planar: no two edges of the task machine cross. */
const CELLS: Readonly<Record<AgentLoopState, readonly [column: 0 | 1, row: 0 | 1 | 2]>> = {
  no_task: [0, 0],
  idle: [1, 0],
  running: [0, 1],
  streaming: [1, 1],
  waiting_for_input: [0, 2],
  resumable: [1, 2],
};

/** A box: its name, its sums, and its active substate, in lines of 17 pixels. */
const BOX_HEIGHT = 62;
const BOX_WIDTH = { least: 112, most: 190 } as const;
/** A box with a list of substates. */
const OPEN_WIDTH = { least: 132, most: 190 } as const;
/** The space between the columns, and between the rows: both have labels. */
const ACROSS = { least: 72, most: 240 } as const;
const DOWN = { least: 58, most: 120 } as const;
/** The space beside the columns and below the rows, for the edges that go around states. */
const LANE = 25;
const TOP = 4;
/** Half the distance of two edges between the same states: beside each other, and above each other. */
const BESIDE = 27;
const ABOVE = 14;
/** The distance of a diagonal from the corner of its box, along the vertical side and the horizontal one. */
const CORNER = { side: 10, edge: 18 } as const;
/** The least distance of a diagonal's label from the boxes: half its width. */
const LABEL_HALF = 25;

/** The places of the six states in a pane of this size. */
export function statePlaces(pane: Size, opened?: OpenedState): StatePlaces {
  const boxes = boxesIn(pane, opened);
  return {
    width: Math.max(...Object.values(boxes).map(rightOf)) + LANE,
    height: heightOf(boxes),
    minHeight: heightOf(boxesIn({ ...pane, height: 0 }, opened)),
    boxes,
    wires: new Map(Object.entries(ROUTES).map(([id, route]) => [id, route(boxes)])),
  };
}

const heightOf = (boxes: Boxes): number => Math.max(...Object.values(boxes).map(bottomOf)) + LANE;

function boxesIn({ width, height }: Size, opened: OpenedState | undefined): Boxes {
  const [openColumn, openRow] = opened === undefined ? [] : CELLS[opened.state];
  const listHeight = opened?.listHeight ?? 0;
  const space = width - 2 * LANE - ACROSS.least;
  const each = clamp(space / 2, BOX_WIDTH.least, BOX_WIDTH.most);
  const widest = listHeight > 0 ? clamp(space - BOX_WIDTH.least, OPEN_WIDTH.least, OPEN_WIDTH.most) : each;
  const rest = clamp(space - widest, BOX_WIDTH.least, each);
  const widths = [0, 1].map((column) =>
    openColumn === undefined ? each : column === openColumn ? widest : rest,
  );
  const heights = [0, 1, 2].map((row) => BOX_HEIGHT + (row === openRow ? listHeight : 0));
  const across = clamp(width - 2 * LANE - sum(widths), ACROSS.least, ACROSS.most);
  const down = clamp((height - TOP - LANE - sum(heights)) / 2, DOWN.least, DOWN.most);
  const left = Math.max(LANE, (width - sum(widths) - across) / 2);
  const top = Math.max(TOP, (height - LANE - sum(heights) - 2 * down) / 2);
  const boxAt = (state: AgentLoopState): ChartBox => {
    const [column, row] = CELLS[state];
    const own = BOX_HEIGHT + (state === opened?.state ? listHeight : 0);
    const above = sum(heights.slice(0, row)) + row * down;
    return {
      x: left + column * ((widths[0] ?? 0) + across),
      y: top + above + ((heights[row] ?? own) - own) / 2,
      width: widths[column] ?? each,
      height: own,
    };
  };
  return {
    no_task: boxAt("no_task"),
    idle: boxAt("idle"),
    running: boxAt("running"),
    streaming: boxAt("streaming"),
    waiting_for_input: boxAt("waiting_for_input"),
    resumable: boxAt("resumable"),
  };
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(value, most));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The routes between the states, by the edge's id: all pairs of states that the task machine connects. */
const ROUTES: Readonly<Record<string, (boxes: Boxes) => WirePlace>> = {
  "no_task -> idle": ({ no_task, idle }) => across(no_task, idle),
  "no_task -> running": ({ no_task, running }) => down(no_task, running),
  "no_task -> resumable": aroundLeft,
  "running -> streaming": ({ running, streaming }) => across(running, streaming, -ABOVE),
  "streaming -> running": ({ running, streaming }) => reversed(across(running, streaming, ABOVE)),
  "running -> waiting_for_input": (boxes) => down(boxes.running, boxes.waiting_for_input, -BESIDE),
  "waiting_for_input -> running": (boxes) => reversed(down(boxes.running, boxes.waiting_for_input, BESIDE)),
  "running -> idle": ({ running, idle }) => diagonal(running, idle, "inner"),
  "idle -> running": ({ running, idle }) => reversed(diagonal(running, idle, "outer")),
  "running -> resumable": ({ running, resumable }) => diagonal(running, resumable, "inner"),
  "resumable -> running": ({ running, resumable }) => reversed(diagonal(running, resumable, "outer")),
  "streaming -> idle": ({ idle, streaming }) => reversed(down(idle, streaming)),
  "streaming -> resumable": ({ streaming, resumable }) => down(streaming, resumable),
  "waiting_for_input -> resumable": (boxes) => across(boxes.waiting_for_input, boxes.resumable),
  "idle -> resumable": aroundRight,
};

/** An edge with this id has a route. */
export const hasRoute = (id: string): boolean => Object.hasOwn(ROUTES, id);

const rightOf = ({ x, width }: ChartBox): number => x + width;
const bottomOf = ({ y, height }: ChartBox): number => y + height;
const middleOf = ({ x, y, width, height }: ChartBox): ChartPoint => ({ x: x + width / 2, y: y + height / 2 });

/** From a state to the one on its right, `offset` below the middle. */
function across(from: ChartBox, to: ChartBox, offset = 0): WirePlace {
  const y = middleOf(from).y + offset;
  const points = [
    { x: rightOf(from), y },
    { x: to.x, y },
  ];
  return { points, label: { x: (rightOf(from) + to.x) / 2, y } };
}

/** From a state to the one below it, `offset` right of the middle. */
function down(from: ChartBox, to: ChartBox, offset = 0): WirePlace {
  const x = middleOf(from).x + offset;
  const points = [
    { x, y: bottomOf(from) },
    { x, y: to.y },
  ];
  return { points, label: { x, y: (bottomOf(from) + to.y) / 2 } };
}

/**
 * From a state to the one right of it, above or below. `inner` begins at the vertical side of the first box, `outer` ends
 * at the vertical side of the second: they are parallel. The label of `inner` is near its start, the other's near its end.
 */
function diagonal(from: ChartBox, to: ChartBox, side: "inner" | "outer"): WirePlace {
  const isBelow = to.y > from.y;
  const sign = isBelow ? 1 : -1;
  const start = { x: rightOf(from), y: isBelow ? bottomOf(from) : from.y };
  const end = { x: to.x, y: isBelow ? to.y : bottomOf(to) };
  const points =
    side === "inner"
      ? ([
          { x: start.x, y: start.y - sign * CORNER.side },
          { x: end.x + CORNER.edge, y: end.y },
        ] as const)
      : ([
          { x: start.x - CORNER.edge, y: start.y },
          { x: end.x, y: end.y + sign * CORNER.side },
        ] as const);
  const inset = Math.max(LABEL_HALF, (end.x - start.x) * 0.28);
  return { points, label: pointAt(points, side === "inner" ? start.x + inset : end.x - inset) };
}

/** The point of a line with this x. */
function pointAt([from, to]: readonly [ChartPoint, ChartPoint], x: number): ChartPoint {
  return { x, y: from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x) };
}

function aroundLeft({ no_task, waiting_for_input, resumable }: Boxes): WirePlace {
  const x = no_task.x - LANE / 2;
  const y = Math.max(bottomOf(waiting_for_input), bottomOf(resumable)) + LANE / 2;
  const from = { x: no_task.x, y: middleOf(no_task).y };
  const to = { x: middleOf(resumable).x, y: bottomOf(resumable) };
  const points = [from, { x, y: from.y }, { x, y }, { x: to.x, y }, to];
  return { points, label: { x: (rightOf(waiting_for_input) + resumable.x) / 2, y } };
}

function aroundRight({ idle, streaming, resumable }: Boxes): WirePlace {
  const x = rightOf(idle) + LANE / 2;
  const from = { x: rightOf(idle), y: middleOf(idle).y };
  const to = { x: rightOf(resumable), y: middleOf(resumable).y };
  const points = [from, { x, y: from.y }, { x, y: to.y }, to];
  return { points, label: { x: x - LANE / 2 + 1, y: (bottomOf(streaming) + resumable.y) / 2 } };
}

const reversed = ({ points, label }: WirePlace): WirePlace => ({ points: points.toReversed(), label });
