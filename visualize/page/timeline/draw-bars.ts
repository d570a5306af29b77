import { barLabel } from "./bar-text.ts";
import { type Colors, tokenOf } from "./colors.ts";
import { type Drawing, rowFinder } from "./drawing.ts";
import { type Bar, type BarKind, WAITS } from "./lanes.ts";
import type { Row } from "./rows.ts";

/** A bar has a text from this width on; a character needs so many pixels. */
const TEXT_MIN = 56;
const CHAR = 7;
/** The space below a bar, in pixels, where the critical path has its line. */
const BELOW = 3;
/** The height of the states of a subtask at the lower edge of its bar, in pixels. */
const STATES_HEIGHT = 3;
/** Shorter bars are drawn together, in pixels; one that is alone has this opacity. */
const SHORT = 1.5;
const FAINT = 0.5;

/** The bars. Those that are too short to see are drawn together. */
export function drawBars(
  context: CanvasRenderingContext2D,
  { trace, bars, rows, places, width, colors }: Drawing,
): void {
  const rowOf = rowFinder(rows);
  const hatches = new Map<string, CanvasPattern | string>();
  const short = new Map<Row, Columns>();
  for (const bar of bars) {
    const row = rowOf(bar);
    const [from, to] = places.ofBar(bar);
    if (row === undefined || to < 0 || from > width) continue;
    if (to - from < SHORT) {
      cover(short, row, bar.kind, from, to - from);
      continue;
    }
    const left = Math.max(from, -1);
    const right = Math.min(to, width + 1);
    const color = colors(tokenOf(bar.kind));
    const isWait = WAITS.has(bar.kind);
    if (isWait && !hatches.has(color)) hatches.set(color, hatch(context, color));
    context.fillStyle = isWait ? (hatches.get(color) ?? color) : color;
    context.fillRect(left, row.top + 1, right - left - (right - left > 3 ? 1 : 0), row.height - BELOW);
    if (isWait || row.isPlain === true || right - left < TEXT_MIN) continue;
    context.fillStyle = colors("panel");
    drawText(context, barLabel(bar, trace), [left, right], middleOf(bar, row));
  }
  drawShort(context, short, colors);
}

/** The middle of a bar's text. */
const middleOf = ({ states }: Bar, { top, height }: Row): number =>
  top + (height - BELOW) / 2 + 2 - (states === undefined ? 0 : STATES_HEIGHT - 1);

/** The states of subtasks, along the lower edges of their bars. */
export function drawStates(
  context: CanvasRenderingContext2D,
  { bars, rows, places, width, colors }: Drawing,
): void {
  const rowOf = rowFinder(rows);
  for (const bar of bars) {
    const row = bar.states && rowOf(bar);
    if (row === undefined) continue;
    const [from, to] = places.ofBar(bar);
    for (const state of bar.states ?? []) {
      const [first, last] = places.ofBar(state);
      const [left, right] = [Math.max(from, first, -1), Math.min(to - 1, last, width + 1)];
      if (right <= left) continue;
      context.fillStyle = colors(tokenOf(state.kind));
      context.fillRect(left, row.top + 1 + row.height - BELOW - STATES_HEIGHT, right - left, STATES_HEIGHT);
    }
  }
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
      context.fillStyle = colors(tokenOf(most[0]));
      context.fillRect(x, top + 1, 1, height - BELOW);
    }
  context.globalAlpha = 1;
}

/** The label of a bar, as far as there is room. */
function drawText(
  context: CanvasRenderingContext2D,
  label: string,
  [left, right]: readonly [number, number],
  middle: number,
): void {
  const chars = Math.floor((right - left - 8) / CHAR);
  context.fillText(label.length > chars ? `${label.slice(0, chars - 1)}…` : label, left + 4, middle);
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
export function drawPath(
  context: CanvasRenderingContext2D,
  { rows, places, path, colors, width }: Drawing,
): void {
  const rowOf = rowFinder(rows);
  context.fillStyle = colors("text");
  const drawn = new Map<Row, number>();
  for (const link of path) {
    const row = rowOf(link.bar);
    const [from, to] = places.ofLink(link);
    if (row === undefined || to < 0 || from > width) continue;
    if (from > (drawn.get(row) ?? Number.POSITIVE_INFINITY) - 0.5) continue;
    drawn.set(row, from);
    context.fillRect(from, row.top + row.height - 2, Math.max(1, to - from), 2);
  }
}
