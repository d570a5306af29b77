import { topState } from "../../../machines/message/states.ts";
import { memoized } from "../model/memoized.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { eventAtTime } from "../model/tree-problems.ts";
import type { Bar } from "./lanes.ts";

/** A bar at its own time, on both axes of the shown task. An open bar lasts until `end`. */
export function onAxis(bar: Bar, end: number | undefined, shown: TraceSnapshot): Bar {
  const to = bar.to ?? end;
  // The whole column of the last event belongs to the bar.
  const last = to === undefined ? undefined : eventAtTime(shown, to) + 1;
  return { ...bar, to, last, seq: eventAtTime(shown, bar.from), cause: undefined };
}

/** The states of a task, and then the asks on which it was idle: it waits for a person, as its status says. */
const statesIn = memoized(({ timeline: { bars }, paths }): readonly Bar[] => [
  ...bars.filter(({ lane }) => lane === "state"),
  ...bars
    .filter(({ kind, seq }) => kind === "ask" && topState(paths[seq] ?? "") === "idle")
    .map((bar): Bar => ({ ...bar, kind: "waiting_for_input" })),
]);

interface KnownStates {
  readonly shown: TraceSnapshot;
  readonly bar: Bar;
  readonly states: readonly Bar[];
}

const known = new WeakMap<TraceSnapshot, KnownStates>();

/**
 * The states that a subtask was in while its bar lasted, on the axes of the shown task: a later one covers those before it.
 * They are computed again only for new events of the subtask or of the shown task.
 */
export function statesOf(bar: Bar, trace: TraceSnapshot, shown: TraceSnapshot): readonly Bar[] {
  const found = known.get(trace);
  if (found?.shown === shown && found.bar === bar) return found.states;
  const [from, to] = [bar.from, bar.to ?? Number.POSITIVE_INFINITY];
  const states = statesIn(trace.index)
    .filter((state) => state.from <= to && (state.to ?? to) > from)
    .map((state) => onAxis(state, bar.to, shown));
  known.set(trace, { shown, bar, states });
  return states;
}
