import type { AnyTransitionDefinition, InspectionEvent } from "xstate";
import type { Microstep, TakenTransition } from "../../trace/index.ts";
import { actionNames, guardName, nameOf } from "../transition-table.ts";

/** Macrosteps that wait for their commit: so many at most. Of more the oldest are let go, and their commits have none. */
const MACROSTEPS_HELD_MAX = 10_000;

/**
 * Gathers a root actor's microsteps by the snapshot that each macrostep ends with: by it a commit finds its own, however
 * much later it is shown.
 */
export class MicrostepWatch {
  /** In their order. Not weak: looking after weak keys costs more than all the rest. */
  readonly #bySnapshot = new Map<object, readonly Microstep[]>();
  #current: Microstep[] = [];
  /** How the present macrostep has ended so far. */
  #end: object | undefined;

  readonly observe = (event: InspectionEvent): void => {
    if (!isRoot(event)) return;
    if (event.type === "@xstate.microstep") {
      this.#current.push(microstepOf(event));
      // The last of a macrostep is whose snapshot is shown.
      if (this.#end !== undefined) this.#bySnapshot.delete(this.#end);
      this.#end = event.snapshot;
      this.#bySnapshot.set(event.snapshot, this.#current);
    } else if (event.type === "@xstate.snapshot") {
      this.#current = [];
      this.#end = undefined;
      if (this.#bySnapshot.size > MACROSTEPS_HELD_MAX) this.#letGoUpTo(this.#bySnapshot.keys().next().value);
    }
  };

  /** Of a commit, once: what is asked for is let go, with all that was before it. */
  of(snapshot: object): readonly Microstep[] | undefined {
    const microsteps = this.#bySnapshot.get(snapshot);
    if (microsteps !== undefined) this.#letGoUpTo(snapshot);
    return microsteps;
  }

  #letGoUpTo(last: object | undefined): void {
    for (const snapshot of this.#bySnapshot.keys()) {
      this.#bySnapshot.delete(snapshot);
      if (snapshot === last) return;
    }
  }
}

const isRoot = ({ actorRef, rootId }: InspectionEvent): boolean => actorRef.sessionId === rootId;

function microstepOf({
  event,
  _transitions,
}: Extract<InspectionEvent, { type: "@xstate.microstep" }>): Microstep {
  const read = _transitions.map(readOnce);
  const isByItself = read.every(({ taken }) => taken.event === "");
  return {
    event: isByItself ? "" : event.type,
    transitions: read.map(({ taken }) => taken),
    actions: read.flatMap(({ actions }) => actions),
  };
}

interface Read {
  readonly taken: TakenTransition;
  readonly actions: readonly string[];
}

/** A machine's rows stay what they are: each is put into words once. */
const rows = new WeakMap<AnyTransitionDefinition, Read>();

function readOnce(row: AnyTransitionDefinition): Read {
  const known = rows.get(row);
  if (known !== undefined) return known;
  const { source, eventType, guard, target, actions } = row;
  const taken = {
    source: nameOf(source),
    event: eventType,
    ...(guard !== undefined && { guard: guardName(guard) }),
    targets: target?.map(nameOf) ?? [],
  };
  const read = { taken, actions: actionNames(actions) };
  rows.set(row, read);
  return read;
}
