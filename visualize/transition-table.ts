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

type StateNode = AnyStateMachine["root"];

const nameOf = (node: StateNode): string => node.path.join(".") || node.machine.id;

const named = (part: unknown): string =>
  typeof part === "string"
    ? part
    : typeof part === "object" && part !== null && "type" in part
      ? String(part.type)
      : "(inline)";

/**
 * Every row of a machine's table, in the order of its states: entries, exits, what follows by itself, and what
 * events bring about. It is read from the machine object, so that it says what ships.
 */
export function transitionRows(machine: AnyStateMachine): readonly TransitionRow[] {
  return rowsOf(machine.root);
}

function rowsOf(node: StateNode): TransitionRow[] {
  const state = nameOf(node);
  const own = (event: string, actions: readonly unknown[]): TransitionRow[] =>
    actions.length === 0 ? [] : [{ state, event, guard: "", target: "", actions: actions.map(named) }];
  const moves = [...(node.always ?? []), ...[...node.transitions.values()].flat()].map((move) => ({
    state,
    event: move.eventType === "" ? "always" : move.eventType,
    guard: move.guard === undefined ? "" : named(move.guard),
    target: move.target?.map(nameOf).join(", ") ?? "",
    actions: move.actions.map(named),
  }));
  return [
    ...own("entry", node.entry),
    ...own("exit", node.exit),
    ...moves,
    ...Object.values(node.states).flatMap(rowsOf),
  ];
}

/**
 * A machine's table as text, one row a line, in columns: `state | event | guard | target | actions`.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { transitionTable } from "signalbox/visualize";
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
