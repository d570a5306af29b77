import type { Chart, ChartLayout } from "./chart.ts";
import { type Arrangement, elkLayoutOf } from "./elk-layout.ts";

/** The size of a state's box: its name in 15 pixels, an icon before it, counts after it. */
const HEIGHT = 28;
const CHAR_WIDTH = 8.2;
const PADDING = 38;

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.randomSeed": "1",
  "elk.padding": "[top=6,left=6,bottom=6,right=6]",
  "elk.spacing.nodeNode": "12",
  "elk.spacing.edgeNode": "8",
  "elk.spacing.edgeEdge": "6",
  "elk.layered.spacing.nodeNodeBetweenLayers": "16",
  "elk.layered.spacing.edgeNodeBetweenLayers": "8",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "6",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.layered.mergeEdges": "true",
} as const;
const COMPOUND = { "elk.padding": "[top=38,left=12,bottom=12,right=12]" } as const;

const DENSE: Arrangement = {
  options: OPTIONS,
  sizeOf: ({ name }, isCompound) =>
    isCompound
      ? { layoutOptions: COMPOUND }
      : { width: Math.max(72, Math.ceil(name.length * CHAR_WIDTH) + PADDING), height: HEIGHT },
};

/**
 * A dense layout of a chart: from top to bottom, with merged edges and no labels. It is about as wide as high; the
 * layout with labels is three times as wide.
 * @throws Error if the layout engine fails
 */
export const denseLayoutOf = (chart: Chart): Promise<ChartLayout> => elkLayoutOf(chart, DENSE);
