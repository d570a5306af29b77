import * as Plot from "@observablehq/plot";
import type { PolicyMode } from "../../../control/metrics/run.ts";
import { shortLabel } from "./label.ts";
import { seriesAt } from "./series.ts";
import { drawSvg } from "./svg.ts";

export interface ScoredRuns {
  readonly protocol: string;
  readonly runs: readonly { readonly mode: PolicyMode; readonly score: number }[];
}

/** Number of bars of a histogram, without the one of the greatest score. */
const BARS = 20;
const FACET = { width: 260, height: 60 };
const MARGINS = { marginTop: 60, marginRight: 300, marginBottom: 44, marginLeft: 54 };

/** Draw the histograms of the scores as SVG: a row for each protocol, a column for each class. */
export function drawScores(all: readonly ScoredRuns[], title: string): string {
  const scores = all.flatMap(({ runs }) => runs.map(({ score }) => score));
  const [low, high] = rangeOf(scores);
  // A bar excludes its right edge, so the greatest score has a bar of its own.
  const edges = Array.from({ length: BARS + 2 }, (_, bar) => low + ((high - low) * bar) / BARS);
  return drawSvg(title, {
    ...MARGINS,
    width: MARGINS.marginLeft + 2 * FACET.width + MARGINS.marginRight,
    height: MARGINS.marginTop + all.length * FACET.height + MARGINS.marginBottom,
    x: { label: "score", labelAnchor: "center", domain: [low, edges.at(-1)] },
    y: { label: "share of runs", labelAnchor: "center", ticks: 2, grid: true },
    fx: { label: null, domain: ["honest", "attack"] },
    fy: {
      padding: 0.25,
      label: null,
      domain: all.map((_, index) => index),
      tickFormat: (index: number) => shortLabel(all[index]?.protocol ?? ""),
    },
    marks: [
      Plot.frame({ strokeOpacity: 0.3 }),
      ...all.map(({ runs }, index) => {
        const facets = { fx: "mode", fy: () => index };
        const bars = { ...facets, x: "score", thresholds: edges, fill: seriesAt(index).color, inset: 0.5 };
        return Plot.rectY(runs, Plot.binX({ y: "proportion-facet" }, bars));
      }),
      Plot.text([title], {
        fx: ["honest"],
        fy: [0],
        frameAnchor: "top-left",
        dy: -50,
        fontSize: 14,
        fontWeight: "bold",
      }),
    ],
  });
}

/** The range of the axis: 0 to 1 where all scores are, else around them. */
function rangeOf(scores: readonly number[]): readonly [number, number] {
  const low = scores.reduce((least, score) => Math.min(least, score), 0);
  const high = scores.reduce((greatest, score) => Math.max(greatest, score), 1);
  return [low, high];
}
