import type { AnyTransitionDefinition } from "xstate";
import type { Microstep } from "../trace-event.ts";
import { statePathOf, stateTransition } from "./transition-table.ts";

/** The microstep that takes these transitions, by an event of this type or eventless. */
export function microstepOf(type: string, taken: readonly AnyTransitionDefinition[]): Microstep {
  const read = taken.map(cachedMicrostep);
  const [first] = read;
  // Nearly every microstep takes a single transition: then its cached form is the result.
  if (first !== undefined && read.length === 1 && (first.event === "" || first.event === type)) return first;
  const transitions = read.flatMap((one) => one.transitions);
  const isEventless = transitions.every(({ event }) => event === "");
  return { event: isEventless ? "" : type, transitions, actions: read.flatMap(({ actions }) => actions) };
}

const cache = new WeakMap<AnyTransitionDefinition, Microstep>();

function cachedMicrostep(transition: AnyTransitionDefinition): Microstep {
  const microstep = cache.get(transition) ?? microstepOfOne(transition);
  cache.set(transition, microstep);
  return microstep;
}

function microstepOfOne(transition: AnyTransitionDefinition): Microstep {
  const { event, guard, targets, actions } = stateTransition(transition);
  const source = statePathOf(transition.source);
  return { event, transitions: [{ source, event, ...(guard !== "" && { guard }), targets }], actions };
}
