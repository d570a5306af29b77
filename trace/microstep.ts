import type { AnyTransitionDefinition } from "xstate";
import type { Microstep, TakenTransition } from "./trace-event.ts";
import { actionNames, guardName, nameOf } from "./transition-table.ts";

/**
 * A microstep in words: the rows of a machine's table that it took, by an event of this type or by itself.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { microstepOf } from "signalbox/trace";
 * const rows = taskMachine.states.no_task?.transitions.get("task.start") ?? [];
 * const { transitions, actions } = microstepOf("task.start", rows);
 * console.log(transitions[0]?.source, transitions[0]?.targets, actions); // no_task [ 'running' ] [ 'postTask' ]
 * ```
 */
export function microstepOf(type: string, rows: readonly AnyTransitionDefinition[]): Microstep {
  const read = rows.map(readOnce);
  const [first] = read;
  // Nearly every one takes a single row: then it is that row's, as it was put into words before.
  if (first !== undefined && read.length === 1 && isNamed(first, type)) return first;
  const transitions = read.flatMap((one) => one.transitions);
  const isByItself = transitions.every(({ event }) => event === "");
  return { event: isByItself ? "" : type, transitions, actions: read.flatMap(({ actions }) => actions) };
}

/** A row for events of any type is taken by one of another name. */
const isNamed = ({ event }: Microstep, type: string): boolean => event === "" || event === type;

/** A machine's rows stay what they are: each is put into words once. */
const known = new WeakMap<AnyTransitionDefinition, Microstep>();

function readOnce(row: AnyTransitionDefinition): Microstep {
  const read = known.get(row) ?? readRow(row);
  known.set(row, read);
  return read;
}

/** The microstep that takes this row alone. */
function readRow({ source, eventType, guard, target, actions }: AnyTransitionDefinition): Microstep {
  const taken: TakenTransition = {
    source: nameOf(source),
    event: eventType,
    ...(guard !== undefined && { guard: guardName(guard) }),
    targets: target?.map(nameOf) ?? [],
  };
  return { event: eventType, transitions: [taken], actions: actionNames(actions) };
}
