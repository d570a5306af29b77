import * as Plot from "@observablehq/plot";
import { layoutFor, legendMarks, seriesAt, titleMark } from "./series.ts";
import { drawSvg } from "./svg.ts";

export interface Line {
  readonly protocol: string;
  /** A point without `y` interrupts the line. */
  readonly points: readonly { readonly x: number; readonly y: number | undefined }[];
  /** Vertical intervals. */
  readonly intervals?: readonly { readonly x: number; readonly low: number; readonly high: number }[];
}

export interface LinePlotOptions {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** `sqrt`: small values of x have more space. Default: linear. */
  readonly scale?: "linear" | "sqrt";
  /** Whether to draw the line of a score by chance, from (0, 0) to (1, 1). Default: false. */
  readonly diagonal?: boolean;
}

const SHARES = [0, 0.01, 0.05, 0.1, 0.2, 0.5, 1];

/** Draw a line for each protocol as SVG, with both axes from 0 to 1. */
export function drawLines(lines: readonly Line[], options: LinePlotOptions): string {
  const { title, x, y, scale = "linear", diagonal = false } = options;
  const chance = [
    [0, 0],
    [1, 1],
  ];
  return drawSvg(title, {
    ...layoutFor(lines.length),
    grid: true,
    x: {
      label: x,
      labelAnchor: "center",
      type: scale,
      domain: [0, 1],
      ...(scale === "sqrt" && { ticks: SHARES, tickFormat: String }),
    },
    y: { label: y, labelAnchor: "center", domain: [0, 1] },
    marks: [
      Plot.frame({ strokeOpacity: 0.3 }),
      ...(diagonal ? [Plot.line(chance, { strokeOpacity: 0.4, strokeDasharray: "2 4" })] : []),
      ...lines.flatMap(({ points, intervals = [] }, index) => {
        const { color, dash } = seriesAt(index);
        return [
          Plot.ruleX(intervals, {
            x: "x",
            y1: "low",
            y2: "high",
            stroke: color,
            strokeWidth: 3,
            strokeOpacity: 0.35,
          }),
          Plot.line(points, { x: "x", y: "y", stroke: color, strokeDasharray: dash }),
          ...symbolsOn(points, index),
        ];
      }),
      titleMark(title),
      ...legendMarks(lines.map(({ protocol }) => protocol)),
    ],
  });
}

/** Symbols on a line: on its first point, its last one, and some between them. */
function symbolsOn(points: Line["points"], index: number): readonly Plot.Markish[] {
  const { color, symbol } = seriesAt(index);
  const step = Math.max(1, Math.floor(points.length / SYMBOLS_MAX));
  const some = points.filter((_, at) => at % step === 0 || at === points.length - 1);
  return [Plot.dot(some, { x: "x", y: "y", symbol, fill: color, stroke: color, r: 2.5 })];
}

const SYMBOLS_MAX = 10;
