import { memo, useLayoutEffect, useRef } from "react";
import { drawLanes } from "./draw-lanes.ts";
import type { Drawing } from "./drawing.ts";
import { heightOf } from "./rows.ts";

/** The lanes on a canvas. It is drawn again only when the trace, the shown part or the colors change. */
export const TimelineCanvas = memo(function TimelineCanvas(drawing: Drawing) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { rows, width } = drawing;
  const height = heightOf(rows);
  useLayoutEffect(() => {
    const shown = canvas.current;
    const context = shown?.getContext("2d");
    if (shown === null || context === null || context === undefined) return;
    const scale = window.devicePixelRatio;
    shown.width = Math.round(width * scale);
    shown.height = Math.round(height * scale);
    context.scale(scale, scale);
    context.font = `12px ${getComputedStyle(shown).fontFamily}`;
    context.textBaseline = "middle";
    drawLanes(context, drawing);
  });
  return <canvas ref={canvas} style={{ width, height }} />;
});
