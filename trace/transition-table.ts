import type { AnyStateMachine } from "xstate";

/** One row of a machine's table. States are dotted paths; `task` stands for the root. */
export interface TransitionRow {
  readonly state: string;
  /** An event's name; `always`, `entry` or `exit` where none is needed. */
  readonly event: string;
  /** The guard's name, or nothing. */
  readonly guard: string;
  /** Where it leads; nothing where the state stays. */
  readonly target: string;
  /** The actions' names, in order. */
  readonly actions: readonly string[];
}

export type StateNode = AnyStateMachine["root"];

/** A state as a dotted path; the machine's name stands for its root. */
export const nameOf = (node: StateNode): string => node.path.join(".") || node.machine.id;

const named = (part: unknown): string =>
  typeof part === "string"
    ? part
    : typeof part === "object" && part !== null && "type" in part
      ? String(part.type)
      : "(inline)";

export const guardName = (guard: unknown): string => named(guard);
export const actionNames = (actions: readonly unknown[]): readonly string[] => actions.map(named);

/**
 * Every row of a machine's table, in the order of its states: entries, exits, what follows by itself, and what
 * events bring about. It is read from the machine object, so that it says what ships.
 */
export function transitionRows(machine: AnyStateMachine): readonly TransitionRow[] {
  return rowsOf(machine.root);
}

function rowsOf(node: StateNode): TransitionRow[] {
  const state = nameOf(node);
  const own = (event: string, actions: readonly string[]): TransitionRow[] =>
    actions.length === 0 ? [] : [{ state, event, guard: "", target: "", actions }];
  return [
    ...own("entry", actionNames(node.entry)),
    ...own("exit", actionNames(node.exit)),
    ...movesOf(node).map(({ event, targets, ...move }) => ({
      state,
      event: event === "" ? "always" : event,
      guard: move.guard,
      target: targets.join(", "),
      actions: move.actions,
    })),
    ...Object.values(node.states).flatMap(rowsOf),
  ];
}

/** One transition of a state, in the machine's order. */
export interface Move {
  /** An event's type; empty where none is needed. */
  readonly event: string;
  /** The guard's name, or nothing. */
  readonly guard: string;
  readonly targets: readonly string[];
  readonly actions: readonly string[];
}

/** A state's own transitions: first what follows by itself. */
export const movesOf = (node: StateNode): readonly Move[] =>
  [...(node.always ?? []), ...[...node.transitions.values()].flat()].map((move) => ({
    event: move.eventType,
    guard: move.guard === undefined ? "" : named(move.guard),
    targets: move.target?.map(nameOf) ?? [],
    actions: actionNames(move.actions),
  }));

/**
 * A machine's table as text, one row a line, in columns: `state | event | guard | target | actions`.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { transitionTable } from "signalbox/trace";
 * console.log(transitionTable(taskMachine));
 * ```
 */
export function transitionTable(machine: AnyStateMachine): string {
  const rows = transitionRows(machine).map(({ state, event, guard, target, actions }) => [
    state,
    event,
    guard,
    target,
    actions.join(", "),
  ]);
  const table = [["state", "event", "guard", "target", "actions"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(" | ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
