import type { AnyStateMachine } from "xstate";
import {
  actionNames,
  type StateNode,
  type StateTransition,
  statePathOf,
  transitionsOf,
} from "../trace/transitions/transition-table.ts";
import type { Chart, ChartEdge, ChartState, ChartTransition } from "./chart.ts";
import { formatTransition } from "./label.ts";

/**
 * The chart of a machine, read from the machine object.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { chartOf } from "@signalbox/debugger";
 * const { states, edges } = chartOf(taskMachine);
 * console.log(states[0]?.path, edges[0]?.id); // no_task no_task -> idle.reopened
 * ```
 */
export function chartOf(machine: AnyStateMachine): Chart {
  const nodes = descendants(machine.root);
  return {
    id: machine.id,
    inner: transitionsOf(machine.root).map(formatInner),
    states: nodes.map(stateOf),
    edges: edgesOf(nodes),
  };
}

const descendants = (node: StateNode): readonly StateNode[] =>
  Object.values(node.states).flatMap((child) => [child, ...descendants(child)]);

function stateOf(node: StateNode): ChartState {
  const path = statePathOf(node);
  const { parent } = node;
  return {
    path,
    name: node.key,
    ...(parent?.parent !== undefined && { parent: statePathOf(parent) }),
    isInitial: parent?.initial?.target.some((target) => target === node) ?? false,
    entry: actionNames(node.entry),
    exit: actionNames(node.exit),
    inner: transitionsOf(node)
      .filter(({ targets }) => targets.every((target) => target === path))
      .map(formatInner),
  };
}

function edgesOf(nodes: readonly StateNode[]): readonly ChartEdge[] {
  const edges = new Map<string, ChartEdge & { readonly rows: ChartTransition[] }>();
  for (const node of nodes) {
    const source = statePathOf(node);
    for (const { event, guard, targets, actions } of transitionsOf(node))
      for (const target of targets) {
        if (target === source) continue;
        const id = `${source} -> ${target}`;
        const edge = edges.get(id) ?? { id, source, target, rows: [] };
        edge.rows.push({ event, ...(guard !== "" && { guard }), actions });
        edges.set(id, edge);
      }
  }
  return [...edges.values()];
}

/** Format a transition in one line: `event [guard] / actions -> targets`. */
const formatInner = (transition: StateTransition): string =>
  formatTransition(transition) +
  (transition.targets.length === 0 ? "" : ` -> ${transition.targets.join(", ")}`);
