import type { Chart, ChartLayout } from "./chart.ts";
import { NAME_HEIGHT, widthOfName } from "./measure.ts";
import { withLabels } from "./place-labels.ts";
import { type Arrangement, placesOf } from "./places.ts";

/** Pixels beside a state's name. */
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
  // A label fits between two that run beside each other.
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
  sizeOf({ name }, isHolder) {
    const width = Math.max(SMALLEST_WIDTH, widthOfName(name) + 2 * NAME_SPACE);
    if (!isHolder) return { width, height: NAME_HEIGHT };
    return { layoutOptions: { ...INNER_OPTIONS, "elk.nodeSize.minimum": `(${width}, ${NAME_HEIGHT})` } };
  },
};

/**
 * Where the states and edges of a chart stand: the same in a browser and in Node, and each time. A machine of some 25
 * states takes a few tenths of a second the first time.
 * @throws Error where the layout engine fails
 */
export async function layoutOf(chart: Chart): Promise<ChartLayout> {
  return withLabels(chart, await placesOf(chart, WIDE));
}
