import type { Drawing } from "./drawing.ts";
import type { Row } from "./rows.ts";

/** How many events are in each column of pixels: the more, the higher. */
export function drawDensity(
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
export function drawVerdicts(
  context: CanvasRenderingContext2D,
  { top, height }: Row,
  { trace, places, colors }: Drawing,
): void {
  for (const { seq, score, isBad } of trace.index.timeline.verdicts) {
    const high = 3 + (height - 5) * Math.min(1, score);
    context.fillStyle = isBad ? colors("bad") : colors("limited");
    context.fillRect(places.ofEvent(seq) - 1, top + height - high, 3, high);
  }
}
