import type { ELK, ElkEdgeSection, ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { Chart, ChartBox, ChartEdge, ChartLayout, ChartPoint, ChartState, ChartWay } from "./chart.ts";
import { NAME_HEIGHT, widthOfName } from "./measure.ts";
import { withLabels } from "./place-labels.ts";

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

/**
 * Where the states and edges of a chart stand: the same in a browser and in Node, and each time. A machine of some 25
 * states takes a few tenths of a second the first time.
 * @throws Error where the layout engine fails
 */
export async function layoutOf(chart: Chart): Promise<ChartLayout> {
  const elk = await engine();
  const laidOut: ElkNode = await elk.layout(graphOf(chart));
  return withLabels(chart, read(laidOut));
}

/** It is large: loaded by those who lay something out. Its types differ by who resolves them; its object does not. */
async function engine(): Promise<ELK> {
  const loaded: { readonly default: unknown } = await import("elkjs/lib/elk.bundled.js");
  if (!isEngine(loaded.default))
    throw new Error("elkjs gave no layout engine: install the version that is pinned.");
  return new loaded.default();
}

const isEngine = (value: unknown): value is new () => ELK => typeof value === "function";

function graphOf({ id, states, edges }: Chart): ElkNode {
  const childrenOf = (parent: string | undefined): ElkNode[] =>
    states.filter((state) => state.parent === parent).map((state) => nodeOf(state, childrenOf(state.path)));
  return {
    id: `chart ${id}`,
    layoutOptions: OPTIONS,
    children: childrenOf(undefined),
    edges: edges.map(elkEdge),
  };
}

function nodeOf({ path, name }: ChartState, children: ElkNode[]): ElkNode {
  const width = Math.max(SMALLEST_WIDTH, widthOfName(name) + 2 * NAME_SPACE);
  if (children.length === 0) return { id: path, width, height: NAME_HEIGHT };
  const layoutOptions = { ...INNER_OPTIONS, "elk.nodeSize.minimum": `(${width}, ${NAME_HEIGHT})` };
  return { id: path, layoutOptions, children };
}

const elkEdge = ({ id, source, target }: ChartEdge): ElkExtendedEdge => ({
  id,
  sources: [source],
  targets: [target],
});

/** The engine places each state within its parent, and each edge within the state that holds both its ends. */
function read(root: ElkNode): ChartLayout {
  const states: Record<string, ChartBox> = {};
  const visit = (node: ElkNode, origin: ChartPoint): void => {
    for (const child of node.children ?? []) {
      const box = boxOf(child, origin);
      states[child.id] = box;
      visit(child, box);
    }
  };
  visit(root, { x: 0, y: 0 });
  const edges: Record<string, ChartWay> = {};
  for (const edge of root.edges ?? []) {
    const holder = edge.container === undefined ? undefined : states[edge.container];
    edges[edge.id] = wayOf(edge, holder ?? { x: 0, y: 0 });
  }
  return { width: Math.ceil(root.width ?? 0), height: Math.ceil(root.height ?? 0), states, edges };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const moved = ({ x, y }: ChartPoint, origin: ChartPoint): ChartPoint => ({
  x: rounded(origin.x + x),
  y: rounded(origin.y + y),
});

const boxOf = ({ x = 0, y = 0, width = 0, height = 0 }: Partial<ChartBox>, origin: ChartPoint): ChartBox => ({
  ...moved({ x, y }, origin),
  width: rounded(width),
  height: rounded(height),
});

const wayOf = ({ sections = [] }: ElkExtendedEdge, origin: ChartPoint): ChartWay => ({
  points: sections.flatMap(pointsOf).map((point) => moved(point, origin)),
});

const pointsOf = ({
  startPoint,
  bendPoints = [],
  endPoint,
}: ElkEdgeSection): ElkEdgeSection["startPoint"][] => [startPoint, ...bendPoints, endPoint];
