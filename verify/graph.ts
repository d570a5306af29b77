import type { TaskEvent } from "../machines/task/task.events.ts";
import type { Crash } from "./crash.ts";

/** One element of a path: an event or a crash. */
export type PathEvent = TaskEvent | Crash;

/** A state of the exploration, with the edge of the first path to it. */
export interface GraphNode {
  readonly state: string;
  readonly from: GraphNode | undefined;
  readonly event: PathEvent | undefined;
  /** Nodes with an event that leads here. A crash does not count as progress (L13). */
  readonly predecessors: Set<GraphNode>;
  /** Whether every outgoing edge was explored. */
  isExpanded: boolean;
}

/** The explored state graph: nodes by the key of their abstract state. */
export class Graph {
  readonly #nodes = new Map<string, GraphNode>();

  get size(): number {
    return this.#nodes.size;
  }

  /** Add the edge by which `event` reached the node of `key`. */
  add(
    key: string,
    state: string,
    from: GraphNode | undefined,
    event: PathEvent | undefined,
  ): { readonly node: GraphNode; readonly isNew: boolean } {
    const known = this.#nodes.get(key);
    const node = known ?? { state, from, event, predecessors: new Set(), isExpanded: false };
    const isProgress = event?.type !== "process.crashed";
    if (isProgress && from !== undefined && from !== node) node.predecessors.add(from);
    if (known === undefined) this.#nodes.set(key, node);
    return { node, isNew: known === undefined };
  }

  isComplete(): boolean {
    return [...this.#nodes.values()].every(({ isExpanded }) => isExpanded);
  }

  /** The number of nodes by the state of the machine. */
  sizeByState(): ReadonlyMap<string, number> {
    const sizes = new Map<string, number>();
    for (const { state } of this.#nodes.values()) sizes.set(state, (sizes.get(state) ?? 0) + 1);
    return sizes;
  }

  /** The events that lead to `node`, in order, followed by `last`. */
  pathTo(node: GraphNode, last?: PathEvent): readonly PathEvent[] {
    const path = last === undefined ? [] : [last];
    for (let at: GraphNode | undefined = node; at !== undefined; at = at.from)
      if (at.event !== undefined) path.push(at.event);
    return path.reverse();
  }

  /** Nodes from which no path leads to a goal or to an unexpanded node. */
  nodesWithoutPathTo(isGoal: (node: GraphNode) => boolean): readonly GraphNode[] {
    const all = [...this.#nodes.values()];
    const reaching = new Set(all.filter((node) => isGoal(node) || !node.isExpanded));
    for (const node of reaching) for (const before of node.predecessors) reaching.add(before);
    return all.filter((node) => !reaching.has(node));
  }
}
