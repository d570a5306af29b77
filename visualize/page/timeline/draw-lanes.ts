import { drawBars, drawPath, drawStates } from "./draw-bars.ts";
import { drawDensity, drawVerdicts } from "./draw-marks.ts";
import { drawUsage } from "./draw-usage.ts";
import type { Drawing } from "./drawing.ts";
import { heightOf } from "./rows.ts";

/** Draw the lanes. Their ticks, labels of folds and cursor are elements over the canvas. */
export function drawLanes(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { trace, rows, width, colors, places, matches } = drawing;
  context.fillStyle = colors("line");
  for (const { top } of rows) context.fillRect(0, top, width, 1);
  for (const { x } of places.axis.ticks) context.fillRect(Math.round(x), 0, 1, heightOf(rows));
  drawBars(context, drawing);
  drawStates(context, drawing);
  drawPath(context, drawing);
  const problems = trace.index.problems.list.map(({ seq }) => seq);
  for (const row of rows) {
    if (row.lane === "monitors") drawVerdicts(context, row, drawing);
    if (row.lane === "problems") drawDensity(context, row, problems, colors("bad"), drawing);
    if (row.lane === "matches") drawDensity(context, row, matches, colors("accent"), drawing);
    if (row.lane === "usage") drawUsage(context, row, drawing);
  }
}
