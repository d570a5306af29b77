import type { AnyStateMachine } from "xstate";
import {
  type MachineTransition,
  machineTransitions,
  type StateNode,
} from "./trace/transitions/transition-table.ts";

/** Options of {@link mermaid}. */
export interface MermaidOptions {
  /** Include child states and guards. Default: only the top level. */
  readonly full?: boolean;
}

/** Mermaid names can't contain dots. */
const idOf = (path: string): string => path.replaceAll(".", "_");
/** The machine may be any, so its states are not the six of a task. */
const topOf = (path: string): string => path.split(".")[0] ?? path;

/**
 * A machine as a Mermaid `stateDiagram-v2`. Transitions between the same two states share one arrow; internal
 * transitions are left out.
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
    const start = initial === undefined ? [] : [`${indent}  [*] --> ${initial}`];
    return [`${declared} {`, ...start, ...inner, `${indent}}`];
  });
}

function arrows(machine: AnyStateMachine, nameOf: (path: string) => string, full: boolean): string[] {
  const labels = new Map<string, Set<string>>();
  for (const transition of machineTransitions(machine)) {
    const { state, target, event } = transition;
    if (target === "" || state === machine.id) continue;
    const [from, to] = [nameOf(state), nameOf(target)];
    if (from === to) continue;
    const arrow = `${idOf(from)} --> ${idOf(to)}`;
    const label = full ? labelOf(transition) : event;
    labels.set(arrow, (labels.get(arrow) ?? new Set()).add(label));
  }
  return [...labels].map(([arrow, events]) => `  ${arrow} : ${shorten([...events]).join(", ")}`);
}

const labelOf = ({ event, guard }: MachineTransition): string =>
  guard === "" ? event : `${event} [${guard}]`;

/** `always` is left out where there are events. */
const shorten = (events: readonly string[]): readonly string[] => {
  const named = events.filter((event) => event !== "always");
  return named.length > 0 ? named : ["always"];
};
