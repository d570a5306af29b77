import * as Plot from "@observablehq/plot";
import { shortLabel } from "./label.ts";
import type { PlotSize } from "./svg.ts";

/** The look of one protocol in a plot, the same in all plots with the same protocols. */
export interface Series {
  readonly color: string;
  readonly dash: string;
  readonly symbol: Plot.SymbolType;
}

const COLORS = 10;
const SYMBOLS: readonly Plot.SymbolType[] = [
  "circle",
  "square",
  "triangle",
  "diamond2",
  "star",
  "wye",
  "times",
];
const DASHES = ["none", "6 3", "2 2", "8 2 2 2"];

/** The series of the protocol at an index. Neighbours differ in color and symbol; those after the tenth also in dashes. */
export function seriesAt(index: number): Series {
  const domain = Array.from({ length: COLORS }, (_, color) => color);
  const color = Plot.scale({ color: { type: "categorical", domain } }).apply(index % COLORS);
  return {
    color,
    dash: DASHES[Math.floor(index / COLORS) % DASHES.length] ?? "none",
    symbol: SYMBOLS[index % SYMBOLS.length] ?? "circle",
  };
}

const LINE_HEIGHT = 18;
const MARGINS = { marginTop: 44, marginRight: 300, marginBottom: 44, marginLeft: 54 };
const FRAME = { width: 420, height: 320 };

/** The size and the margins of a plot with a legend of the protocols at its right. */
export const layoutFor = (count: number): PlotSize & typeof MARGINS => ({
  ...MARGINS,
  width: MARGINS.marginLeft + FRAME.width + MARGINS.marginRight,
  height: MARGINS.marginTop + Math.max(FRAME.height, count * LINE_HEIGHT) + MARGINS.marginBottom,
});

/** The title above the frame. */
export const titleMark = (title: string): Plot.Markish =>
  Plot.text([title], { frameAnchor: "top-left", dy: -34, fontSize: 14, fontWeight: "bold" });

/** The legend at the right of the frame: the symbol and the name of each protocol. */
export const legendMarks = (names: readonly string[]): readonly Plot.Markish[] =>
  names.flatMap((name, index) => {
    const { color, symbol } = seriesAt(index);
    const dy = index * LINE_HEIGHT;
    return [
      Plot.dot([name], { frameAnchor: "top-right", dx: 18, dy: dy + 8, symbol, fill: color, stroke: color }),
      Plot.text([shortLabel(name)], {
        frameAnchor: "top-right",
        textAnchor: "start",
        dx: 30,
        dy: dy + 3,
        fontSize: 12,
      }),
    ];
  });
