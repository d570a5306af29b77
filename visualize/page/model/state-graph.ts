import { AGENT_LOOP_STATES, type AgentLoopState, topState } from "../../../machines/message/states.ts";
import type { Chart, ChartEdge } from "../../chart/chart.ts";
import { isWithin } from "./state.ts";
import { hasRoute } from "./state-places.ts";
import type { VisitCounts } from "./visit-counts.ts";

/** One of the six states with what the task did in it. */
export interface StateSum {
  readonly state: AgentLoopState;
  readonly isActive: boolean;
  /** The active substate without its parent. Absent: there is none. */
  readonly inner?: string;
  readonly entries: number;
  /** Milliseconds, and their share of the task's time: 0 to 1. */
  readonly time: number;
  readonly share: number;
}

/** All edges from one of the six states to another. */
export interface MergedEdge {
  /** `source -> target`. */
  readonly id: string;
  readonly source: AgentLoopState;
  readonly target: AgentLoopState;
  readonly edges: readonly ChartEdge[];
}

/** How often a merged edge was taken. */
export interface EdgeSum {
  readonly times: number;
  /** How many of these times the trace does not record: they are inferred. */
  readonly inferred: number;
  /** Whether the current event took it. */
  readonly isLast: boolean;
}

/** The edges between the six states, in the order of the chart. Edges within a state are not among them. */
export function mergedEdges(chart: Chart): readonly MergedEdge[] {
  const merged = new Map<string, MergedEdge & { readonly edges: ChartEdge[] }>();
  for (const edge of chart.edges) {
    const [source, target] = [topState(edge.source), topState(edge.target)];
    if (source === target) continue;
    const id = `${source} -> ${target}`;
    const known = merged.get(id) ?? { id, source, target, edges: [] };
    known.edges.push(edge);
    merged.set(id, known);
  }
  return [...merged.values()];
}

/** Whether a chart has the six states at its top, and only edges that have a place between them. */
export function hasSixStates(chart: Chart): boolean {
  const names = new Set(chart.states.flatMap(({ path, parent }) => (parent === undefined ? [path] : [])));
  const isTop =
    names.size === AGENT_LOOP_STATES.length && AGENT_LOOP_STATES.every((state) => names.has(state));
  return isTop && mergedEdges(chart).every(({ id }) => hasRoute(id));
}

/** The six states at the state of this path. */
export function stateSums({ entries, times }: VisitCounts, path: string): readonly StateSum[] {
  const timeOf = (state: AgentLoopState): number => times.get(state) ?? 0;
  const whole = AGENT_LOOP_STATES.reduce((total, state) => total + timeOf(state), 0);
  return AGENT_LOOP_STATES.map((state) => {
    const isActive = isWithin(path, state);
    return {
      state,
      isActive,
      ...(isActive && path !== state && { inner: path.slice(state.length + 1) }),
      entries: entries.get(state) ?? 0,
      time: timeOf(state),
      share: whole === 0 ? 0 : timeOf(state) / whole,
    };
  });
}

/** How often the rows of some edges were taken in all. */
export function edgeSum(edges: readonly ChartEdge[], { rows, inferred, last }: VisitCounts): EdgeSum {
  const ids = new Set(edges.map(({ id }) => id));
  const totalOf = (counts: VisitCounts["rows"]): number =>
    [...counts].reduce((total, [{ edge }, times]) => total + (ids.has(edge) ? times : 0), 0);
  return {
    times: totalOf(rows),
    inferred: totalOf(inferred),
    isLast: last.some(({ edge }) => ids.has(edge)),
  };
}
