import { type AnyMachineSnapshot, type AnyTransitionDefinition, getNextTransitions } from "xstate";
import type { TaskEvent, taskMachine } from "../machines/task/index.ts";

type Machine = typeof taskMachine;
type StateNode = Machine["root"];

/** How much of the machine's table an exploration took. */
export interface Coverage {
  /** The leaf states, as dotted paths, and whether the task settled in them or passed through them. */
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

/** Notes the states and the rows of the machine's table that macrosteps go through. */
export class CoverageMeter {
  readonly #states: Map<string, boolean>;
  readonly #rows: Map<string, boolean>;
  readonly #guards: ReadonlyMap<string, unknown>;
  readonly #candidates = new Map<string, readonly AnyTransitionDefinition[]>();

  constructor(machine: Machine) {
    const nodes = nodesOf(machine.root);
    this.#guards = new Map(Object.entries(machine.implementations.guards));
    this.#states = new Map(leavesOf(machine.root).map((node) => [nameOf(node), false]));
    const rows = nodes.flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])]);
    this.#rows = new Map(rows.map((row) => [rowOf(row), false]));
  }

  get coverage(): Coverage {
    return { states: this.#states, transitions: this.#rows };
  }

  /** The task is in `state`. */
  enter(state: string): void {
    this.#states.set(state, true);
  }

  /** `event` was handled in `snapshot`, which is in `state`; without an event, what follows by itself. */
  leave(state: string, snapshot: AnyMachineSnapshot, event: TaskEvent, isEventless: boolean): void {
    const type = isEventless ? "" : event.type;
    const taken = this.#candidatesOf(state, snapshot).find(
      (row) => row.eventType === type && this.#holds(row.guard, snapshot, event),
    );
    if (taken !== undefined) this.#rows.set(rowOf(taken), true);
  }

  #candidatesOf(state: string, snapshot: AnyMachineSnapshot): readonly AnyTransitionDefinition[] {
    const known = this.#candidates.get(state);
    if (known !== undefined) return known;
    const found = getNextTransitions(snapshot);
    this.#candidates.set(state, found);
    return found;
  }

  #holds(guard: unknown, { context }: AnyMachineSnapshot, event: TaskEvent): boolean {
    if (typeof guard !== "string") return true;
    const implementation = this.#guards.get(guard);
    return typeof implementation === "function" && implementation({ context, event });
  }
}
