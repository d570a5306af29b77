import type { Drawing } from "./drawing.ts";
import type { Row } from "./rows.ts";
import { largest, type Step, usageLine } from "./usage-line.ts";

/** The size of the context as an area, with a mark for each compaction, and the cost as a line. */
export function drawUsage(context: CanvasRenderingContext2D, row: Row, drawing: Drawing): void {
  const { trace, places, colors } = drawing;
  const { timeline, usage } = trace.index;
  const sizes = timeline.context.map(({ seq, tokens }) => ({ x: places.ofEvent(seq), value: tokens }));
  const end = outline(context, sizes, row, drawing);
  context.lineTo(end, row.top + row.height - 1);
  context.globalAlpha = 0.35;
  context.fillStyle = colors("accent");
  context.fill();
  context.globalAlpha = 1;
  const costs = usage.map(({ seq, cost }) => ({ x: places.ofEvent(seq), value: cost }));
  outline(context, costs, row, drawing);
  context.strokeStyle = colors("warn");
  context.lineWidth = 1.5;
  context.stroke();
  context.fillStyle = colors("text");
  for (const { seq, isCompacted } of timeline.context)
    if (isCompacted) triangle(context, places.ofEvent(seq), row.top + 2);
}

/** Make a step line the path to draw, from the bottom to the end of the trace. Returns where it ends. */
function outline(
  context: CanvasRenderingContext2D,
  steps: readonly Step[],
  { top, height }: Row,
  { places, width }: Drawing,
): number {
  const bottom = top + height - 1;
  const most = Math.max(largest(steps), 1e-9);
  const end = Math.min(width, places.end);
  context.beginPath();
  context.moveTo(steps[0]?.x ?? end, bottom);
  let y = bottom;
  for (const { x, value } of usageLine(steps)) {
    context.lineTo(x, y);
    y = bottom - ((value ?? 0) / most) * (height - 5);
    context.lineTo(x, y);
  }
  context.lineTo(end, y);
  return end;
}

function triangle(context: CanvasRenderingContext2D, x: number, top: number): void {
  context.beginPath();
  context.moveTo(x - 4, top);
  context.lineTo(x + 4, top);
  context.lineTo(x, top + 7);
  context.fill();
}
