import type { AnyStateMachine } from "xstate";
import { type TransitionRow, transitionRows } from "../trace/index.ts";

export interface MermaidOptions {
  /** Show the inner states too, and on each arrow its guard. Default: the top level alone. */
  readonly full?: boolean;
}

type StateNode = AnyStateMachine["root"];

/** Mermaid reads a dot as part of no name. */
const idOf = (path: string): string => path.replaceAll(".", "_");
const topOf = (path: string): string => path.split(".")[0] ?? path;

/**
 * A machine as the text of a Mermaid `stateDiagram-v2`, drawn from the machine object. Moves between the same
 * two states share one arrow; what stays in its state is left out.
 */
export function mermaid(machine: AnyStateMachine, { full = false }: MermaidOptions = {}): string {
  const nameOf = full ? (path: string) => path : topOf;
  const states = full ? nested(machine.root, "  ") : flat(machine.root);
  const initial = initialOf(machine.root);
  return `${["stateDiagram-v2", ...states, ...(initial === undefined ? [] : [`  [*] --> ${initial}`]), ...arrows(machine, nameOf, full)].join("\n")}\n`;
}

const initialOf = (node: StateNode): string | undefined => {
  const first = node.initial?.target[0];
  return first === undefined ? undefined : idOf(first.path.join("."));
};

const flat = (root: StateNode): string[] =>
  Object.keys(root.states).map((key) => `  state "${key}" as ${key}`);

function nested(node: StateNode, indent: string): string[] {
  return Object.values(node.states).flatMap((child) => {
    const id = idOf(child.path.join("."));
    const declared = `${indent}state "${child.key}" as ${id}`;
    const inner = nested(child, `${indent}  `);
    if (inner.length === 0) return [declared];
    const initial = initialOf(child);
    const begins = initial === undefined ? [] : [`${indent}  [*] --> ${initial}`];
    return [`${declared} {`, ...begins, ...inner, `${indent}}`];
  });
}

function arrows(machine: AnyStateMachine, nameOf: (path: string) => string, full: boolean): string[] {
  const labels = new Map<string, Set<string>>();
  for (const row of transitionRows(machine)) {
    if (row.target === "" || row.state === machine.id) continue;
    const [from, to] = [nameOf(row.state), nameOf(row.target)];
    if (from === to) continue;
    const arrow = `${idOf(from)} --> ${idOf(to)}`;
    const label = full ? labelOf(row) : row.event;
    labels.set(arrow, (labels.get(arrow) ?? new Set()).add(label));
  }
  return [...labels].map(([arrow, events]) => `  ${arrow} : ${shorten([...events]).join(", ")}`);
}

const labelOf = ({ event, guard }: TransitionRow): string => (guard === "" ? event : `${event} [${guard}]`);

/** `always` beside events says nothing to a reader. */
const shorten = (events: readonly string[]): readonly string[] => {
  const named = events.filter((event) => event !== "always");
  return named.length > 0 ? named : ["by itself"];
};
