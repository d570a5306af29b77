import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { barText } from "./bar-text.ts";
import { type Colors, TOKEN_OF } from "./colors.ts";
import type { Link } from "./critical-path.ts";
import { type Bar, type BarKind, WAITS } from "./lanes.ts";
import type { Places } from "./places.ts";
import type { Row } from "./rows.ts";
import { largest, type Step, usageLine } from "./usage-line.ts";

/** Everything that the canvas shows. */
export interface Drawing {
  readonly trace: TraceSnapshot;
  readonly rows: readonly Row[];
  readonly places: Places;
  readonly width: number;
  readonly matches: readonly number[];
  readonly path: readonly Link[];
  readonly colors: Colors;
}

/** A bar has a text from this width on; a character needs so many pixels. */
const TEXT_MIN = 56;
const CHAR = 7;
/** The space below a bar, in pixels, where the critical path has its line. */
const BELOW = 3;
/** Shorter bars are drawn together, in pixels; one that is alone has this opacity. */
const SHORT = 1.5;
const FAINT = 0.5;

/** Draw the lanes. Their ticks, labels of folds and cursor are elements over the canvas. */
export function drawLanes(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { rows, width, colors, places } = drawing;
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  context.fillStyle = colors.line;
  for (const { top } of rows) context.fillRect(0, top, width, 1);
  for (const { x } of places.axis.ticks) context.fillRect(Math.round(x), 0, 1, (rows.at(-1)?.top ?? 0) + 30);
  drawBars(context, drawing);
  drawPath(context, drawing);
  for (const row of rows) {
    if (row.lane === "monitors") drawVerdicts(context, row, drawing);
    if (row.lane === "problems") {
      const seqs = drawing.trace.index.problems.list.map(({ seq }) => seq);
      drawDensity(context, row, seqs, colors.bad, drawing);
    }
    if (row.lane === "matches") drawDensity(context, row, drawing.matches, colors.accent, drawing);
    if (row.lane === "usage") drawUsage(context, row, drawing);
  }
}

const rowKey = ({ lane, row }: { readonly lane: string; readonly row: number }): string => `${lane} ${row}`;

/** The bars. Those that are too short to see are drawn together. */
function drawBars(context: CanvasRenderingContext2D, { trace, rows, places, width, colors }: Drawing): void {
  const byKey = new Map(rows.map((row) => [rowKey(row), row]));
  const hatches = new Map<string, CanvasPattern | string>();
  const short = new Map<Row, Columns>();
  for (const bar of trace.index.timeline.bars) {
    const row = byKey.get(rowKey(bar));
    const [from, to] = places.ofBar(bar);
    if (row === undefined || to < 0 || from > width) continue;
    if (to - from < SHORT) {
      cover(short, row, bar.kind, from, to - from);
      continue;
    }
    const left = Math.max(from, -1);
    const right = Math.min(to, width + 1);
    const color = colors[TOKEN_OF[bar.kind]];
    const isWait = WAITS.has(bar.kind);
    if (isWait && !hatches.has(color)) hatches.set(color, hatch(context, color));
    context.fillStyle = isWait ? (hatches.get(color) ?? color) : color;
    context.fillRect(left, row.top + 1, right - left - (right - left > 3 ? 1 : 0), row.height - BELOW);
    if (!isWait && row.isPlain === undefined && right - left >= TEXT_MIN)
      drawText(context, barText(bar, trace), { bar, row, left, right }, colors);
  }
  drawShort(context, short, colors);
}

/** How much of each column of pixels short bars cover, by their kind. */
type Columns = Map<number, Map<BarKind, number>>;

function cover(short: Map<Row, Columns>, row: Row, kind: BarKind, from: number, size: number): void {
  const columns: Columns = short.get(row) ?? new Map();
  short.set(row, columns);
  const kinds = columns.get(Math.floor(from)) ?? new Map<BarKind, number>();
  columns.set(Math.floor(from), kinds);
  kinds.set(kind, (kinds.get(kind) ?? 0) + size);
}

/** The short bars of a column in the color of the kind that covers most of it: the more, the stronger. */
function drawShort(
  context: CanvasRenderingContext2D,
  short: ReadonlyMap<Row, Columns>,
  colors: Colors,
): void {
  for (const [{ top, height }, columns] of short)
    for (const [x, kinds] of columns) {
      let covered = 0;
      let most: readonly [BarKind | undefined, number] = [undefined, -1];
      for (const [kind, size] of kinds) {
        covered += size;
        if (size > most[1]) most = [kind, size];
      }
      if (most[0] === undefined) continue;
      context.globalAlpha = FAINT + (1 - FAINT) * Math.min(1, covered);
      context.fillStyle = colors[TOKEN_OF[most[0]]];
      context.fillRect(x, top + 1, 1, height - BELOW);
    }
  context.globalAlpha = 1;
}

interface TextPlace {
  readonly bar: Bar;
  readonly row: Row;
  readonly left: number;
  readonly right: number;
}

function drawText(
  context: CanvasRenderingContext2D,
  text: string,
  { bar, row, left, right }: TextPlace,
  colors: Colors,
): void {
  const words = bar.lane === "tools" || bar.lane === "state" ? text.replace(/^\w+ /, "") : text;
  const chars = Math.floor((right - left - 8) / CHAR);
  context.fillStyle = colors.panel;
  context.fillText(
    words.length > chars ? `${words.slice(0, chars - 1)}…` : words,
    left + 4,
    row.top + (row.height - BELOW) / 2 + 2,
  );
}

/** Diagonal lines. */
function hatch(context: CanvasRenderingContext2D, color: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = 6;
  tile.height = 6;
  const lines = tile.getContext("2d");
  if (lines === null) return color;
  lines.strokeStyle = color;
  lines.lineWidth = 1.8;
  lines.beginPath();
  for (const from of [-6, 0, 6]) {
    lines.moveTo(from, 6);
    lines.lineTo(from + 6, 0);
  }
  lines.stroke();
  return context.createPattern(tile, "repeat") ?? color;
}

/** A line below each bar of the critical path, for the time that determined the end. */
function drawPath(context: CanvasRenderingContext2D, { rows, places, path, colors, width }: Drawing): void {
  const byKey = new Map(rows.map((row) => [rowKey(row), row]));
  context.fillStyle = colors.text;
  const drawn = new Map<Row, number>();
  for (const link of path) {
    const row = byKey.get(rowKey(link.bar));
    const [from, to] = places.ofLink(link);
    if (row === undefined || to < 0 || from > width) continue;
    if (from > (drawn.get(row) ?? Number.POSITIVE_INFINITY) - 0.5) continue;
    drawn.set(row, from);
    context.fillRect(from, row.top + row.height - 2, Math.max(1, to - from), 2);
  }
}

/** How many events are in each column of pixels: the more, the higher. */
function drawDensity(
  context: CanvasRenderingContext2D,
  { top, height }: Row,
  seqs: readonly number[],
  color: string,
  { places, width }: Drawing,
): void {
  const columns = new Map<number, number>();
  for (const seq of seqs) {
    const x = Math.floor(places.ofEvent(seq));
    if (x >= 0 && x <= width) columns.set(x, (columns.get(x) ?? 0) + 1);
  }
  context.fillStyle = color;
  for (const [x, count] of columns) {
    const high = (height - 2) * Math.min(1, 0.45 + 0.11 * count);
    context.fillRect(x - 0.5, top + height - high, 2, high);
  }
}

/** A line for each event with verdicts, as high as its score. */
function drawVerdicts(
  context: CanvasRenderingContext2D,
  { top, height }: Row,
  { trace, places, colors }: Drawing,
): void {
  for (const { seq, score, isBad } of trace.index.timeline.verdicts) {
    const high = 3 + (height - 5) * Math.min(1, score);
    context.fillStyle = isBad ? colors.bad : colors.limited;
    context.fillRect(places.ofEvent(seq) - 1, top + height - high, 3, high);
  }
}

/** The size of the context as an area, with a mark for each compaction, and the cost as a line. */
function drawUsage(
  context: CanvasRenderingContext2D,
  { top, height }: Row,
  { trace, places, colors, width }: Drawing,
): void {
  const { timeline, usage } = trace.index;
  const sizes = usageLine(
    timeline.context.map(({ seq, tokens }) => ({ x: places.ofEvent(seq), value: tokens })),
  );
  const costs = usageLine(usage.map(({ seq, cost }) => ({ x: places.ofEvent(seq), value: cost })));
  const bottom = top + height - 1;
  const end = Math.min(width, places.end);
  const trackSteps = (steps: readonly Step[], most: number): void => {
    context.beginPath();
    context.moveTo(steps[0]?.x ?? 0, bottom);
    let y = bottom;
    for (const { x, value } of steps) {
      context.lineTo(x, y);
      y = bottom - ((value ?? 0) / Math.max(most, 1e-9)) * (height - 5);
      context.lineTo(x, y);
    }
    context.lineTo(end, y);
  };
  trackSteps(sizes, largest(sizes));
  context.lineTo(end, bottom);
  context.globalAlpha = 0.35;
  context.fillStyle = colors.accent;
  context.fill();
  context.globalAlpha = 1;
  trackSteps(costs, largest(costs));
  context.strokeStyle = colors.warn;
  context.lineWidth = 1.5;
  context.stroke();
  context.fillStyle = colors.text;
  for (const { seq, isCompacted } of timeline.context) {
    if (!isCompacted) continue;
    const x = places.ofEvent(seq);
    context.beginPath();
    context.moveTo(x - 4, top + 2);
    context.lineTo(x + 4, top + 2);
    context.lineTo(x, top + 9);
    context.fill();
  }
}
