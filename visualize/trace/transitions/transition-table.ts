import type { AnyStateMachine, AnyTransitionDefinition } from "xstate";

/** One transition of a machine's table. States are dotted paths; the machine's id is its root. */
export interface MachineTransition {
  readonly state: string;
  /** The event's type; `always`, `entry` or `exit` where none is needed. */
  readonly event: string;
  /** The guard's name, or nothing. */
  readonly guard: string;
  /** The target; nothing if the state stays. */
  readonly target: string;
  /** The actions' names, in order. */
  readonly actions: readonly string[];
}

export type StateNode = AnyStateMachine["root"];

/** A state as a dotted path; the machine's id for its root. */
export const statePathOf = (node: StateNode): string => node.path.join(".") || node.machine.id;

/** The name of a guard or an action. */
const nameOf = (part: unknown): string =>
  typeof part === "string"
    ? part
    : typeof part === "object" && part !== null && "type" in part
      ? String(part.type)
      : "(inline)";

export const actionNames = (actions: readonly unknown[]): readonly string[] => actions.map(nameOf);

/**
 * All transitions of a machine, in the order of its states: entries, exits, eventless transitions, and those on
 * events. They are read from the machine object.
 */
export function machineTransitions(machine: AnyStateMachine): readonly MachineTransition[] {
  return tableOf(machine.root);
}

function tableOf(node: StateNode): MachineTransition[] {
  const state = statePathOf(node);
  const own = (event: string, actions: readonly string[]): MachineTransition[] =>
    actions.length === 0 ? [] : [{ state, event, guard: "", target: "", actions }];
  return [
    ...own("entry", actionNames(node.entry)),
    ...own("exit", actionNames(node.exit)),
    ...transitionsOf(node).map(({ event, guard, targets, actions }) => ({
      state,
      event: event === "" ? "always" : event,
      guard,
      target: targets.join(", "),
      actions,
    })),
    ...Object.values(node.states).flatMap(tableOf),
  ];
}

/** One transition of a state. */
export interface StateTransition {
  /** The event's type; empty for an eventless transition. */
  readonly event: string;
  /** The guard's name, or nothing. */
  readonly guard: string;
  readonly targets: readonly string[];
  readonly actions: readonly string[];
}

/** A state's own transitions, the eventless ones first. */
export const transitionsOf = (node: StateNode): readonly StateTransition[] =>
  [...(node.always ?? []), ...[...node.transitions.values()].flat()].map(stateTransition);

export const stateTransition = (transition: AnyTransitionDefinition): StateTransition => ({
  event: transition.eventType,
  guard: transition.guard === undefined ? "" : nameOf(transition.guard),
  targets: transition.target?.map(statePathOf) ?? [],
  actions: actionNames(transition.actions),
});

/**
 * A machine's transition table as text, one transition a line: `state | event | guard | target | actions`.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { transitionTable } from "signalbox/trace";
 * console.log(transitionTable(taskMachine));
 * ```
 */
export function transitionTable(machine: AnyStateMachine): string {
  const rows = machineTransitions(machine).map(({ state, event, guard, target, actions }) => [
    state,
    event,
    guard,
    target,
    actions.join(", "),
  ]);
  const table = [["state", "event", "guard", "target", "actions"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
