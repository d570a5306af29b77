import type { AnyTransitionDefinition, SnapshotFrom } from "xstate";
import type { taskMachine } from "../machines/task/index.ts";
import { pathOf } from "./state-path.ts";

type Machine = typeof taskMachine;
type StateNode = Machine["root"];

/** How much of the machine's table an exploration took. */
export interface Coverage {
  /** The leaf states, as dotted paths, and whether a task was in them, be it in passing. */
  readonly states: ReadonlyMap<string, boolean>;
  /** The rows of the table, as `state event [guard] -> target`, and whether they were taken. */
  readonly transitions: ReadonlyMap<string, boolean>;
}

const leavesOf = (node: StateNode): StateNode[] => {
  const inner = Object.values(node.states);
  return inner.length === 0 ? [node] : inner.flatMap((child) => leavesOf(child));
};
const nodesOf = (node: StateNode): StateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];
const nameOf = (node: { readonly path: readonly string[] }): string => node.path.join(".") || "task";

function rowOf({ source, eventType, guard, target }: AnyTransitionDefinition): string {
  const condition = typeof guard === "string" ? ` [${guard}]` : "";
  return `${nameOf(source)} ${eventType || "always"}${condition} -> ${target?.map(nameOf).join() ?? "stays"}`;
}

/** The first state that is entered by going to a node. */
function entered(node: StateNode): StateNode {
  const [first] = node.initial?.target ?? [];
  return first === undefined ? node : entered(first);
}

/** Notes the states and the rows of the machine's table that macrosteps go through. */
export class CoverageMeter {
  readonly #states: Map<string, boolean>;
  readonly #rows: Map<string, boolean>;
  readonly #noted = new Set<AnyTransitionDefinition>();

  constructor(machine: Machine) {
    const nodes = nodesOf(machine.root);
    this.#states = new Map(leavesOf(machine.root).map((node) => [nameOf(node), false]));
    const rows = nodes.flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])]);
    this.#rows = new Map(rows.map((row) => [rowOf(row), false]));
  }

  get coverage(): Coverage {
    return { states: this.#states, transitions: this.#rows };
  }

  /** A macrostep took these rows, and settled in `snapshot`. */
  note(rows: readonly AnyTransitionDefinition[], snapshot: SnapshotFrom<Machine>): void {
    if (rows.every((row) => this.#noted.has(row))) return;
    this.#states.set(pathOf(snapshot.value), true);
    for (const row of rows) this.#take(row);
  }

  #take(row: AnyTransitionDefinition): void {
    this.#noted.add(row);
    const name = rowOf(row);
    if (this.#rows.has(name)) this.#rows.set(name, true);
    for (const target of row.target ?? []) this.#states.set(nameOf(entered(target)), true);
  }
}
