import type { TaskContext } from "../../../machines/task/task.context.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import type { Candidate, ValueRead } from "../../../wire/http/explanation.ts";
import {
  type StateNode,
  type StateTransition,
  statePathOf,
  transitionsOf,
} from "../transitions/transition-table.ts";
import { ReadRecorder, UnknownValueError } from "./reads.ts";

/** The subject of the guards: the machine's context, and the event or what is known of it. */
interface GuardSubject {
  readonly context: TaskContext;
  readonly event: { readonly type: string };
}

/** The answer of a guard, with the values that it read. */
interface Tried {
  readonly passes: boolean | undefined;
  readonly reads: readonly ValueRead[];
  readonly missing?: string;
}

/** Answers a guard by its name. */
export type TryGuard = (name: string) => Tried;

const GUARDS: Readonly<Record<string, unknown>> = taskMachine.implementations.guards;

/**
 * The transitions that the machine has for an event in a state, from the innermost state outwards, in the order in which
 * they are tried. The first that passes is taken.
 *
 * @param path The state, as a dotted path.
 * @param type The type of the event; empty: the eventless transitions.
 */
export function candidatesOf(path: string, type: string, tryGuard: TryGuard): readonly Candidate[] {
  let isTaken = false;
  return nodesOf(path).flatMap((node) =>
    transitionsOf(node)
      .filter(({ event }) => event === type)
      .map((transition): Candidate => {
        const { passes, ...rest } = guarded(transition, tryGuard);
        const verdict =
          passes === undefined ? "unknown" : !passes ? "fails" : isTaken ? "passes" : ("taken" as const);
        isTaken ||= verdict === "taken";
        const { guard, targets, actions } = transition;
        return {
          state: statePathOf(node),
          ...(guard !== "" && { guard }),
          targets: [...targets],
          actions: [...actions],
          verdict,
          ...rest,
          reads: [...rest.reads],
        };
      }),
  );
}

const UNGUARDED: Tried = { passes: true, reads: [] };

const guarded = ({ guard }: StateTransition, tryGuard: TryGuard): Tried =>
  guard === "" ? UNGUARDED : tryGuard(guard);

/** The states of a path, the innermost first, and the root. */
function nodesOf(path: string): readonly StateNode[] {
  const nodes: StateNode[] = [taskMachine.root];
  for (const name of path.split(".")) {
    const inner = nodes[0]?.states[name];
    if (inner === undefined) break;
    nodes.unshift(inner);
  }
  return nodes;
}

/** Tries guards on a subject. `isKnown`: whether a guard may read this path of it. */
export const guardsOn =
  ({ context, event }: GuardSubject, isKnown?: (path: string) => boolean): TryGuard =>
  (name) => {
    const guard = GUARDS[name];
    if (typeof guard !== "function") return { passes: undefined, reads: [], missing: `the guard ${name}` };
    const recorder = new ReadRecorder(isKnown);
    const watched = { context: recorder.watch(context, ""), event: recorder.watch(event, "event") };
    try {
      return { passes: guard(watched, undefined) === true, reads: recorder.reads };
    } catch (error) {
      if (!(error instanceof UnknownValueError)) throw error;
      return { passes: undefined, reads: recorder.reads, missing: error.path };
    }
  };
