import type { TraceEvent } from "../../trace/trace-event.ts";
import { ancestry, type EdgePaths, type TakenRow } from "./edge-paths.ts";
import { isWithin } from "./state.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";

interface Sums {
  readonly entries: Map<string, number>;
  /** Milliseconds, by the state's path; a compound state's time includes its children's. */
  readonly times: Map<string, number>;
  /** How often each row was taken. */
  readonly rows: Map<TakenRow, number>;
  /** How many of these times the trace does not record: they are inferred from the states before and after. */
  readonly inferred: Map<TakenRow, number>;
  /** The newest event that took each row. */
  readonly lastAt: Map<TakenRow, number>;
}

/** How often the task entered each state and took each row, and the time in each state. */
export interface VisitCounts extends Sums {
  /** The rows of the current event. */
  readonly last: readonly TakenRow[];
}

/** Events between two kept sums: at most so many are counted for any event, once all were read. */
const KEPT_EVERY = 256;

/** Count visits at any event of a trace, with kept intermediate sums. They serve all snapshots of a trace. */
export class VisitCounter {
  readonly #edgePaths: EdgePaths;
  /** The sums after each {@link KEPT_EVERY}th event. Snapshots of a trace have the same events before it. */
  readonly #kept = new WeakMap<TraceEvent, Sums>();

  constructor(edgePaths: EdgePaths) {
    this.#edgePaths = edgePaths;
  }

  /** The counts from the beginning up to `at`. */
  at(trace: TraceSnapshot, at: number): VisitCounts {
    return { ...this.#sumsAt(trace, at), last: this.#edgePaths.taken(trace.event(at)).rows };
  }

  #sumsAt(trace: TraceSnapshot, at: number): Sums {
    let from = at - (at % KEPT_EVERY);
    while (from > 0 && !this.#kept.has(trace.event(from - 1))) from -= KEPT_EVERY;
    const sums = copyOf(from === 0 ? undefined : this.#kept.get(trace.event(from - 1)));
    for (let seq = from; seq <= at; seq += 1) {
      this.#count(sums, trace, seq);
      if ((seq + 1) % KEPT_EVERY === 0) this.#kept.set(trace.event(seq), copyOf(sums));
    }
    return sums;
  }

  #count(sums: Sums, trace: TraceSnapshot, seq: number): void {
    const { entries, times, rows } = sums;
    const { paths, times: at } = trace.index;
    const after = paths[seq] ?? "no_task";
    let before = seq === 0 ? "" : (paths[seq - 1] ?? "no_task");
    if (seq > 0) add(times, ancestry(before), (at[seq] ?? 0) - (at[seq - 1] ?? 0));
    const { rows: taken, isInferred } = this.#edgePaths.taken(trace.event(seq));
    if (taken.length === 0 && after === before) return;
    add(rows, taken, 1);
    if (isInferred) add(sums.inferred, taken, 1);
    for (const row of taken) sums.lastAt.set(row, seq);
    // States that a macrostep only passes through are entered as well, for no time.
    for (const state of [...this.#edgePaths.passed(taken), after]) {
      for (const inside of ancestry(state)) if (!isWithin(before, inside)) add(entries, [inside], 1);
      before = state;
    }
  }
}

/** The counts with the time, in milliseconds, that the task has been in its state since the last counted event. */
export function withOpenTime(visits: VisitCounts, path: string, ms: number): VisitCounts {
  const times = new Map(visits.times);
  add(times, ancestry(path), ms);
  return { ...visits, times };
}

const copyOf = ({ entries, times, rows, inferred, lastAt }: Partial<Sums> = {}): Sums => ({
  entries: new Map(entries),
  times: new Map(times),
  rows: new Map(rows),
  inferred: new Map(inferred),
  lastAt: new Map(lastAt),
});

function add<T>(sums: Map<T, number>, keys: readonly T[], value: number): void {
  for (const key of keys) sums.set(key, (sums.get(key) ?? 0) + value);
}
