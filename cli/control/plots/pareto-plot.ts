import * as Plot from "@observablehq/plot";
import { paretoFront } from "../../../control/worst-case/pareto.ts";
import { layoutFor, legendMarks, seriesAt, titleMark } from "./series.ts";
import { drawSvg } from "./svg.ts";

export interface ParetoPoint {
  readonly protocol: string;
  /** From 0 to 1. */
  readonly safety: number;
  /** From 0 to 1. */
  readonly usefulness: number;
}

export interface ParetoLabels {
  readonly title: string;
  /** The label of the axis of safety. */
  readonly safety: string;
}

/** Draw safety against usefulness as SVG: a symbol for each protocol, and a line along the Pareto front. */
export function drawPareto(points: readonly ParetoPoint[], { title, safety }: ParetoLabels): string {
  const front = [...paretoFront(points)].sort((a, b) => a.usefulness - b.usefulness || b.safety - a.safety);
  return drawSvg(title, {
    ...layoutFor(points.length),
    grid: true,
    x: { label: "usefulness", labelAnchor: "center", domain: [0, 1] },
    y: { label: safety, labelAnchor: "center", domain: [0, 1] },
    marks: [
      Plot.frame({ strokeOpacity: 0.3 }),
      Plot.line(front, { x: "usefulness", y: "safety", stroke: "currentColor", strokeOpacity: 0.5 }),
      ...points.map((point, index) => {
        const { color, symbol } = seriesAt(index);
        // Without a fill, so that equal points stay visible.
        return Plot.dot([point], {
          x: "usefulness",
          y: "safety",
          symbol,
          stroke: color,
          strokeWidth: 2,
          r: 5,
        });
      }),
      titleMark(title),
      ...legendMarks(points.map(({ protocol }) => protocol)),
    ],
  });
}
