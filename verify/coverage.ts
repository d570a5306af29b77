import type { AnyTransitionDefinition, SnapshotFrom } from "xstate";
import { dottedPath } from "../machines/message/states.ts";
import type { TaskEmitted } from "../machines/task/task.events.ts";
import type { taskMachine } from "../machines/task/task.machine.ts";
import { CALL_TABLE } from "../machines/tool-call/call.table.ts";

type Machine = typeof taskMachine;
type StateNode = Machine["root"];

/** Coverage of the machine: its states and transitions. */
export interface Coverage {
  /** Leaf states as dotted paths, and whether a task entered them, transiently included. */
  readonly states: ReadonlyMap<string, boolean>;
  /** Transitions as `state event [guard] -> target`, and whether they were taken. */
  readonly transitions: ReadonlyMap<string, boolean>;
  /** Transitions of a tool call as `phase event -> phase`, and whether a call took them. */
  readonly calls: ReadonlyMap<string, boolean>;
}

const leavesOf = (node: StateNode): StateNode[] => {
  const inner = Object.values(node.states);
  return inner.length === 0 ? [node] : inner.flatMap((child) => leavesOf(child));
};
const nodesOf = (node: StateNode): StateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];
const nameOf = (node: { readonly path: readonly string[] }): string => node.path.join(".") || "task";

function nameOfTransition({ source, eventType, guard, target }: AnyTransitionDefinition): string {
  const condition = typeof guard === "string" ? ` [${guard}]` : "";
  return `${nameOf(source)} ${eventType || "always"}${condition} -> ${target?.map(nameOf).join() ?? "stays"}`;
}

/** The initial leaf state of a node. */
function initialLeaf(node: StateNode): StateNode {
  const [first] = node.initial?.target ?? [];
  return first === undefined ? node : initialLeaf(first);
}

const nameOfMove = ({ from, by, to }: Readonly<Record<"from" | "by" | "to", string>>): string =>
  `${from} ${by} -> ${to}`;

/** The transitions in the table of a call. */
const moves = (): readonly string[] =>
  Object.entries(CALL_TABLE).flatMap(([from, row]) =>
    Object.entries(row).flatMap(([by, targets]) =>
      [targets].flat().map((to) => nameOfMove({ from, by, to })),
    ),
  );

/** Records the states and transitions of macrosteps. */
export class CoverageMeter {
  readonly #states: Map<string, boolean>;
  readonly #transitions: Map<string, boolean>;
  readonly #calls = new Map(moves().map((move) => [move, false]));
  readonly #noted = new Set<AnyTransitionDefinition>();

  constructor(machine: Machine) {
    const nodes = nodesOf(machine.root);
    this.#states = new Map(leavesOf(machine.root).map((node) => [nameOf(node), false]));
    const all = nodes.flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])]);
    this.#transitions = new Map(all.map((transition) => [nameOfTransition(transition), false]));
  }

  get coverage(): Coverage {
    return { states: this.#states, transitions: this.#transitions, calls: this.#calls };
  }

  /** Record a macrostep with these transitions that settled in `snapshot`. */
  note(transitions: readonly AnyTransitionDefinition[], snapshot: SnapshotFrom<Machine>): void {
    if (transitions.every((transition) => this.#noted.has(transition))) return;
    this.#states.set(dottedPath(snapshot.value), true);
    for (const transition of transitions) this.#take(transition);
  }

  /** Record how calls moved in a macrostep. */
  noteCalls(emitted: readonly TaskEmitted[]): void {
    for (const event of emitted) if (event.type === "call.moved") this.#calls.set(nameOfMove(event), true);
  }

  #take(transition: AnyTransitionDefinition): void {
    this.#noted.add(transition);
    const name = nameOfTransition(transition);
    if (this.#transitions.has(name)) this.#transitions.set(name, true);
    for (const target of transition.target ?? []) this.#states.set(nameOf(initialLeaf(target)), true);
  }
}
