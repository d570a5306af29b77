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
  /** Transitions as `state event [guard] -> target`, and how often they were taken. */
  readonly transitions: ReadonlyMap<string, number>;
  /** Transitions of a tool call as `phase event -> phase`, and how often calls took them. */
  readonly calls: ReadonlyMap<string, number>;
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
  /** The transitions of the machine by their names. */
  readonly #transitions: ReadonlyMap<string, AnyTransitionDefinition>;
  readonly #taken = new Map<AnyTransitionDefinition, number>();
  readonly #calls = new Map(moves().map((move) => [move, 0]));

  constructor(machine: Machine) {
    const nodes = nodesOf(machine.root);
    this.#states = new Map(leavesOf(machine.root).map((node) => [nameOf(node), false]));
    const all = nodes.flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])]);
    this.#transitions = new Map(all.map((transition) => [nameOfTransition(transition), transition]));
  }

  get coverage(): Coverage {
    const counts = [...this.#transitions].map(([name, one]) => [name, this.#taken.get(one) ?? 0] as const);
    return { states: this.#states, transitions: new Map(counts), calls: this.#calls };
  }

  /** Record a macrostep with these transitions that settled in `snapshot`. */
  note(transitions: readonly AnyTransitionDefinition[], snapshot: SnapshotFrom<Machine>): void {
    let isNew = false;
    for (const transition of transitions) {
      const times = this.#taken.get(transition);
      this.#taken.set(transition, (times ?? 0) + 1);
      if (times !== undefined) continue;
      isNew = true;
      for (const target of transition.target ?? []) this.#states.set(nameOf(initialLeaf(target)), true);
    }
    if (isNew) this.#states.set(dottedPath(snapshot.value), true);
  }

  /** Record how calls moved in a macrostep. */
  noteCalls(emitted: readonly TaskEmitted[]): void {
    for (const event of emitted) {
      if (event.type !== "call.moved") continue;
      const name = nameOfMove(event);
      this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    }
  }
}
