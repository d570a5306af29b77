import type { AnyTransitionDefinition } from "xstate";
import type { Microstep, TakenTransition } from "../trace/index.ts";
import { actionNames, guardName, nameOf } from "./transition-table.ts";

/** A microstep in words: the rows of a machine's table that it took, by an event of this type or by itself. */
export function microstepOf(type: string, rows: readonly AnyTransitionDefinition[]): Microstep {
  const read = rows.map(readOnce);
  const isByItself = read.every(({ taken }) => taken.event === "");
  return {
    event: isByItself ? "" : type,
    transitions: read.map(({ taken }) => taken),
    actions: read.flatMap(({ actions }) => actions),
  };
}

interface Read {
  readonly taken: TakenTransition;
  readonly actions: readonly string[];
}

/** A machine's rows stay what they are: each is put into words once. */
const known = new WeakMap<AnyTransitionDefinition, Read>();

function readOnce(row: AnyTransitionDefinition): Read {
  const read = known.get(row) ?? readRow(row);
  known.set(row, read);
  return read;
}

function readRow({ source, eventType, guard, target, actions }: AnyTransitionDefinition): Read {
  const taken = {
    source: nameOf(source),
    event: eventType,
    ...(guard !== undefined && { guard: guardName(guard) }),
    targets: target?.map(nameOf) ?? [],
  };
  return { taken, actions: actionNames(actions) };
}
