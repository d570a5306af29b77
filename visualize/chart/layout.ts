import type { Chart, ChartLayout } from "./chart.ts";
import { type Arrangement, elkLayoutOf } from "./elk-layout.ts";
import { withLabels } from "./label-placement.ts";
import { NAME_HEIGHT, widthOfName } from "./text-metrics.ts";

/** The padding of a state's name, in pixels. */
const NAME_SPACE = 14;
const SMALLEST_WIDTH = 84;

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.randomSeed": "1",
  "elk.padding": "[top=24,left=24,bottom=24,right=24]",
  "elk.spacing.nodeNode": "20",
  "elk.spacing.edgeNode": "14",
  // A label fits between two parallel edges.
  "elk.spacing.edgeEdge": "15",
  "elk.layered.spacing.nodeNodeBetweenLayers": "30",
  "elk.layered.spacing.edgeNodeBetweenLayers": "14",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "8",
  "elk.layered.mergeEdges": "false",
  "elk.layered.cycleBreaking.strategy": "GREEDY_MODEL_ORDER",
} as const;

const INNER_OPTIONS = {
  "elk.nodeSize.constraints": "MINIMUM_SIZE",
  "elk.padding": `[top=${NAME_HEIGHT + 8},left=20,bottom=18,right=20]`,
} as const;

const WIDE: Arrangement = {
  options: OPTIONS,
  sizeOf({ name }, isCompound) {
    const width = Math.max(SMALLEST_WIDTH, widthOfName(name) + 2 * NAME_SPACE);
    if (!isCompound) return { width, height: NAME_HEIGHT };
    return { layoutOptions: { ...INNER_OPTIONS, "elk.nodeSize.minimum": `(${width}, ${NAME_HEIGHT})` } };
  },
};

/**
 * The layout of a chart. It is deterministic, also between browsers and Node. A machine of 25 states takes a few tenths
 * of a second the first time.
 * @throws Error if the layout engine fails
 */
export async function layoutOf(chart: Chart): Promise<ChartLayout> {
  return withLabels(chart, await elkLayoutOf(chart, WIDE));
}
