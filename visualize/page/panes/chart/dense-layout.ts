import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { Chart, ChartBox, ChartLayout, ChartPoint, ChartState } from "../../../chart/index.ts";

/** A state's box in the page: its name in 15 pixels, its shape before it, its counts behind it. */
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

/**
 * The places of a chart where there is little room: from top to bottom, arrows merged, and no labels. It is about as
 * wide as high, where the layout with labels is thrice as wide.
 * @throws Error where the layout engine fails
 */
export async function denseLayout({ id, states, edges }: Chart): Promise<ChartLayout> {
  const { default: Engine } = await import("elkjs/lib/elk.bundled.js");
  const below = (parent: string | undefined): ElkNode[] =>
    states.filter((state) => state.parent === parent).map((state) => nodeOf(state, below(state.path)));
  const root = await new Engine().layout({
    id: `chart ${id}`,
    layoutOptions: OPTIONS,
    children: below(undefined),
    edges: edges.map(({ id: edge, source, target }) => ({ id: edge, sources: [source], targets: [target] })),
  });
  return placed(root);
}

function nodeOf({ path, name }: ChartState, children: ElkNode[]): ElkNode {
  if (children.length > 0) return { id: path, layoutOptions: HOLDER, children };
  return { id: path, width: Math.max(72, Math.ceil(name.length * LETTER) + AROUND), height: HEIGHT };
}

function placed(root: ElkNode): ChartLayout {
  const states: Record<string, ChartBox> = {};
  const visit = (node: ElkNode, { x, y }: ChartPoint): void => {
    for (const child of node.children ?? []) {
      const box = {
        x: x + (child.x ?? 0),
        y: y + (child.y ?? 0),
        width: child.width ?? 0,
        height: child.height ?? 0,
      };
      states[child.id] = box;
      visit(child, box);
    }
  };
  visit(root, { x: 0, y: 0 });
  const edges = Object.fromEntries(
    (root.edges ?? []).map((edge) => {
      const holder = edge.container === undefined ? undefined : states[edge.container];
      return [edge.id, { points: pointsOf(edge, holder ?? { x: 0, y: 0 }) }];
    }),
  );
  return { width: root.width ?? 0, height: root.height ?? 0, states, edges };
}

const pointsOf = ({ sections = [] }: ElkExtendedEdge, holder: ChartPoint): ChartPoint[] =>
  sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({ x: holder.x + x, y: holder.y + y })),
  );
