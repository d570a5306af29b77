import type { Chart, ChartLayout } from "./chart.ts";
import { type Arrangement, placesOf } from "./places.ts";

/** A state's box where it is small: its name in 15 pixels, its shape before it, its counts behind it. */
const HEIGHT = 28;
const LETTER = 8.2;
const AROUND = 38;

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
const HOLDER = { "elk.padding": "[top=38,left=12,bottom=12,right=12]" } as const;

const DENSE: Arrangement = {
  options: OPTIONS,
  sizeOf: ({ name }, isHolder) =>
    isHolder
      ? { layoutOptions: HOLDER }
      : { width: Math.max(72, Math.ceil(name.length * LETTER) + AROUND), height: HEIGHT },
};

/**
 * The places of a chart where there is little room: from top to bottom, arrows merged, and no labels. It is about as
 * wide as high, where the layout with labels is thrice as wide.
 * @throws Error where the layout engine fails
 */
export const denseLayoutOf = (chart: Chart): Promise<ChartLayout> => placesOf(chart, DENSE);
