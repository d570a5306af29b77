import { useEffect, useMemo, useSyncExternalStore } from "react";
import { errorText } from "../model/format.ts";
import type { Breakpoints, EventBreakpoint, SetBreakpoints, TaskActions } from "../source.ts";
import { breakpointStore } from "./breakpoint-store.ts";

export interface UsedBreakpoints {
  readonly set: SetBreakpoints;
  readonly change: (update: (before: Breakpoints) => Partial<Breakpoints>) => void;
}

/**
 * The breakpoints of a task. They are read again when `version` changes.
 *
 * @param canAct whether they can be read and set now
 */
export function useBreakpoints(
  taskId: string,
  actions: TaskActions,
  {
    canAct,
    version,
    onError,
  }: Readonly<{ canAct: boolean; version: string; onError: (text: string) => void }>,
): UsedBreakpoints {
  const store = useMemo(() => breakpointStore(taskId, actions), [taskId, actions]);
  const set = useSyncExternalStore(store.subscribe, store.read, store.read);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the server's breakpoints
  useEffect(() => {
    if (canAct) store.load().catch((error: unknown) => onError(errorText(error)));
  }, [store, canAct, version, onError]);
  return {
    set,
    change: (update) => void store.change(update).catch((error: unknown) => onError(errorText(error))),
  };
}

/** A place at which events are held: a state, or an event with its conditions. */
export type HeldPlace = Readonly<{ inState: string }> | EventBreakpoint;

/** The breakpoint before calls of a tool: each is held after its review, before it starts or a person is asked. */
export const beforeCalls = (tool: string): EventBreakpoint => ({ type: "call.reviewed", tool });

/** The breakpoints as buttons beside what they are about set and remove them. */
export interface Holds {
  readonly has: (place: HeldPlace) => boolean;
  readonly toggle: (place: HeldPlace) => void;
}

export function holdsOf({ set, change }: UsedBreakpoints): Holds {
  const has = (place: HeldPlace): boolean => isSet(set, place);
  return {
    has,
    toggle: (place) =>
      change((before) =>
        "inState" in place ? toggledState(before, place.inState) : toggledEvent(before, place),
      ),
  };
}

const isSet = ({ states, events }: Breakpoints, place: HeldPlace): boolean =>
  "inState" in place ? states.includes(place.inState) : events.some((one) => isSame(one, place));

const toggledState = ({ states }: Breakpoints, state: string): Partial<Breakpoints> => ({
  states: states.includes(state) ? states.filter((one) => one !== state) : [...states, state],
});

function toggledEvent({ events }: Breakpoints, event: EventBreakpoint): Partial<Breakpoints> {
  const others = events.filter((one) => !isSame(one, event));
  return { events: others.length < events.length ? others : [...events, event] };
}

/** Whether two breakpoints on events are the same one. */
export function isSame(one: string | EventBreakpoint, other: string | EventBreakpoint): boolean {
  const [a, b] = [whole(one), whole(other)];
  return a.type === b.type && a.state === b.state && a.tool === b.tool;
}

const whole = (event: string | EventBreakpoint): EventBreakpoint =>
  typeof event === "string" ? { type: event } : event;
