import type { AnyStateMachine } from "xstate";
import { actionNames, type Move, movesOf, nameOf, type StateNode } from "../../trace/index.ts";
import type { Chart, ChartEdge, ChartRow, ChartState } from "./chart.ts";

/**
 * A machine as a picture has it, read from the machine object, so that it shows what ships.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { chartOf } from "signalbox/visualize";
 * const { states, edges } = chartOf(taskMachine);
 * console.log(states[0]?.path, edges[0]?.id); // no_task no_task -> idle.reopened
 * ```
 */
export function chartOf(machine: AnyStateMachine): Chart {
  const nodes = below(machine.root);
  return {
    id: machine.id,
    inner: movesOf(machine.root).map(lineOf),
    states: nodes.map(stateOf),
    edges: edgesOf(nodes),
  };
}

const below = (node: StateNode): readonly StateNode[] =>
  Object.values(node.states).flatMap((child) => [child, ...below(child)]);

function stateOf(node: StateNode): ChartState {
  const path = nameOf(node);
  const { parent } = node;
  return {
    path,
    name: node.key,
    ...(parent?.parent !== undefined && { parent: nameOf(parent) }),
    isInitial: parent?.initial?.target.some((target) => target === node) ?? false,
    entry: actionNames(node.entry),
    exit: actionNames(node.exit),
    inner: movesOf(node)
      .filter(({ targets }) => targets.every((target) => target === path))
      .map(lineOf),
  };
}

function edgesOf(nodes: readonly StateNode[]): readonly ChartEdge[] {
  const edges = new Map<string, ChartEdge & { readonly rows: ChartRow[] }>();
  for (const node of nodes) {
    const source = nameOf(node);
    for (const { event, guard, targets, actions } of movesOf(node))
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

/** A transition in one line: `event [guard] / actions`; where the root leads somewhere, that stands behind it. */
function lineOf({ event, guard, targets, actions }: Move): string {
  const parts = [
    event === "" ? "always" : event,
    ...(guard === "" ? [] : [`[${guard}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actions.join(", ")}`]),
    ...(targets.length === 0 ? [] : [`-> ${targets.join(", ")}`]),
  ];
  return parts.join(" ");
}
