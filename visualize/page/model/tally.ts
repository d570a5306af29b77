import type { TraceReader } from "../../../trace/index.ts";
import { isWithin } from "./state.ts";
import type { TraceIndex } from "./trace-index.ts";
import { ancestry, type Walks } from "./walk.ts";

/** How often the task was in each state and went along each arrow, and how long it stayed. */
export interface Tally {
  readonly entries: ReadonlyMap<string, number>;
  /** Milliseconds, by the state's path; a state's time holds that of the states in it. */
  readonly times: ReadonlyMap<string, number>;
  readonly edges: ReadonlyMap<string, number>;
  /** The arrows of the event at this place. */
  readonly last: readonly string[];
}

/** Counts from the beginning up to `at`. */
export function tallyUpTo(trace: TraceReader, index: TraceIndex, walks: Walks, at: number): Tally {
  const entries = new Map<string, number>();
  const times = new Map<string, number>();
  const edges = new Map<string, number>();
  let last: readonly string[] = [];
  let before = "";
  for (let seq = 0; seq <= at; seq += 1) {
    const path = index.paths[seq] ?? "no_task";
    last = walks.of(trace.event(seq));
    addAll(edges, last, 1);
    // What a macrostep only passes through is come to as well, for no time.
    for (const state of [...walks.passed(last), path]) {
      addAll(entries, entered(before, state), 1);
      before = state;
    }
    const next = seq < at ? index.times[seq + 1] : undefined;
    if (next !== undefined) addAll(times, ancestry(path), Math.max(0, next - (index.times[seq] ?? 0)));
  }
  return { entries, times, edges, last };
}

/** The states that one is in after coming to `path`, and was not in before. */
const entered = (before: string, path: string): readonly string[] =>
  ancestry(path).filter((state) => !isWithin(before, state));

function addAll(sums: Map<string, number>, keys: readonly string[], value: number): void {
  for (const key of keys) sums.set(key, (sums.get(key) ?? 0) + value);
}
