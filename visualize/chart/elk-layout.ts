import type { ELK, ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { Chart, ChartBox, ChartLayout, ChartPoint, ChartRoute, ChartState } from "./chart.ts";

/** The options of a layout. */
export interface Arrangement {
  readonly options: Readonly<Record<string, string>>;
  /** The size of a state, or of the frame of a compound state. */
  readonly sizeOf: (
    state: ChartState,
    isCompound: boolean,
  ) => Pick<ElkNode, "width" | "height" | "layoutOptions">;
}

/**
 * Lay out a chart with ELK.
 * @throws Error if it fails
 */
export async function elkLayoutOf(chart: Chart, arrangement: Arrangement): Promise<ChartLayout> {
  const elk = await engine();
  return layoutFrom(await elk.layout(graphOf(chart, arrangement)));
}

/** The engine is large and loaded on demand. Its types depend on the module resolution; its object does not. */
async function engine(): Promise<ELK> {
  const loaded: { readonly default: unknown } = await import("elkjs/lib/elk.bundled.js");
  if (!isEngine(loaded.default))
    throw new Error("Expected a layout engine from elkjs. Install the pinned version.");
  return new loaded.default();
}

const isEngine = (value: unknown): value is new () => ELK => typeof value === "function";

function graphOf({ id, states, edges }: Chart, { options, sizeOf }: Arrangement): ElkNode {
  const childrenOf = (parent: string | undefined): ElkNode[] =>
    states
      .filter((state) => state.parent === parent)
      .map((state) => {
        const children = childrenOf(state.path);
        const isCompound = children.length > 0;
        return { id: state.path, ...sizeOf(state, isCompound), ...(isCompound && { children }) };
      });
  return {
    id: `chart ${id}`,
    layoutOptions: { ...options },
    children: childrenOf(undefined),
    edges: edges.map(({ id, source, target }) => ({ id, sources: [source], targets: [target] })),
  };
}

/** ELK's positions are relative: states to their parent, edges to the state that contains both ends. */
function layoutFrom(root: ElkNode): ChartLayout {
  const states: Record<string, ChartBox> = {};
  const visit = (node: ElkNode, origin: ChartPoint): void => {
    for (const child of node.children ?? []) {
      const box = boxOf(child, origin);
      states[child.id] = box;
      visit(child, box);
    }
  };
  visit(root, { x: 0, y: 0 });
  const edges: Record<string, ChartRoute> = {};
  for (const edge of root.edges ?? []) {
    const holder = edge.container === undefined ? undefined : states[edge.container];
    edges[edge.id] = routeOf(edge, holder ?? { x: 0, y: 0 });
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

const routeOf = ({ sections = [] }: ElkExtendedEdge, origin: ChartPoint): ChartRoute => ({
  points: sections
    .flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint])
    .map((point) => moved(point, origin)),
});
