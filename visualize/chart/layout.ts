import type { Chart, ChartLayout } from "./chart.ts";
import { type Arrangement, elkLayoutOf } from "./elk-layout.ts";
import { withLabels } from "./label-placement.ts";
import { NAME_HEIGHT, widthOfName } from "./text-metrics.ts";

const COMMON_OPTIONS = {
  "elk.algorithm": "layered",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.randomSeed": "1",
} as const;

/** Sizes with labels, in pixels: the padding of a state's name, and the smallest width. */
const NAME_PADDING = 14;
const WIDTH_MIN = 84;

const WIDE: Arrangement = {
  options: {
    ...COMMON_OPTIONS,
    "elk.direction": "RIGHT",
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
  },
  sizeOf({ name }, isCompound) {
    const width = Math.max(WIDTH_MIN, widthOfName(name) + 2 * NAME_PADDING);
    if (!isCompound) return { width, height: NAME_HEIGHT };
    return {
      layoutOptions: {
        "elk.nodeSize.constraints": "MINIMUM_SIZE",
        "elk.padding": `[top=${NAME_HEIGHT + 8},left=20,bottom=18,right=20]`,
        "elk.nodeSize.minimum": `(${width}, ${NAME_HEIGHT})`,
      },
    };
  },
};

/** Sizes without labels: a name of 12 pixels with a count behind it. */
const DENSE_HEIGHT = 30;
const DENSE_WIDTH_MIN = 64;
const DENSE_CHAR_WIDTH = 7.2;
/** The padding and the count. */
const DENSE_PADDING = 44;

const DENSE: Arrangement = {
  options: {
    ...COMMON_OPTIONS,
    "elk.direction": "DOWN",
    "elk.padding": "[top=5,left=5,bottom=5,right=5]",
    "elk.spacing.nodeNode": "6",
    "elk.spacing.edgeNode": "6",
    "elk.spacing.edgeEdge": "5",
    "elk.layered.spacing.nodeNodeBetweenLayers": "18",
    "elk.layered.spacing.edgeNodeBetweenLayers": "10",
    "elk.layered.spacing.edgeEdgeBetweenLayers": "6",
    "elk.layered.cycleBreaking.strategy": "GREEDY_MODEL_ORDER",
    "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
    "elk.layered.mergeEdges": "true",
  },
  sizeOf({ name }, isCompound) {
    const width = Math.max(DENSE_WIDTH_MIN, Math.ceil(name.length * DENSE_CHAR_WIDTH) + DENSE_PADDING);
    if (!isCompound) return { width, height: DENSE_HEIGHT };
    return {
      layoutOptions: {
        "elk.nodeSize.constraints": "MINIMUM_SIZE",
        "elk.padding": `[top=${DENSE_HEIGHT + 4},left=14,bottom=10,right=14]`,
        "elk.nodeSize.minimum": `(${width}, ${DENSE_HEIGHT})`,
      },
    };
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

/**
 * A dense layout of a chart: from top to bottom, with merged edges and no labels. It is about as wide as high; the
 * layout with labels is three times as wide.
 * @throws Error if the layout engine fails
 */
export const denseLayoutOf = (chart: Chart): Promise<ChartLayout> => elkLayoutOf(chart, DENSE);
