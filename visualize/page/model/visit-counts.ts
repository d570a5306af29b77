import type { TraceReader } from "../../trace/moment.ts";
import { ancestry, type EdgePaths } from "./edge-paths.ts";
import { isWithin } from "./state.ts";
import type { TraceIndex } from "./trace-index.ts";

interface Sums {
  readonly entries: Map<string, number>;
  /** Milliseconds, by the state's path; a compound state's time includes its children's. */
  readonly times: Map<string, number>;
  readonly edges: Map<string, number>;
}

/** How often the task entered each state and took each edge, and the time in each state. */
export interface VisitCounts extends Sums {
  /** The edges of the current event. */
  readonly last: readonly string[];
}

/** Events between two kept sums: at most so many are counted for any event, once all were read. */
const KEPT_EVERY = 256;

/** Count visits at any event of a trace, with kept intermediate sums. */
export class VisitCounter {
  readonly #trace: TraceReader;
  readonly #index: TraceIndex;
  readonly #edgePaths: EdgePaths;
  /** The sums before each {@link KEPT_EVERY}th event. */
  readonly #kept: Sums[] = [{ entries: new Map(), times: new Map(), edges: new Map() }];

  constructor(trace: TraceReader, index: TraceIndex, edgePaths: EdgePaths) {
    this.#trace = trace;
    this.#index = index;
    this.#edgePaths = edgePaths;
  }

  /** The counts from the beginning up to `at`. */
  at(at: number): VisitCounts {
    const wanted = Math.floor(at / KEPT_EVERY);
    for (let next = this.#kept.length; next <= wanted; next += 1)
      this.#kept.push(this.#counted(next - 1, next * KEPT_EVERY - 1));
    return { ...this.#counted(wanted, at), last: this.#edgePaths.of(this.#trace.event(at)) };
  }

  /** The sums after the event `to`, from the kept sums at `start`. */
  #counted(start: number, to: number): Sums {
    const { entries, times, edges } = this.#kept[start] ?? {};
    const sums: Sums = { entries: new Map(entries), times: new Map(times), edges: new Map(edges) };
    for (let seq = start * KEPT_EVERY; seq <= to; seq += 1) this.#count(sums, seq);
    return sums;
  }

  #count({ entries, times, edges }: Sums, seq: number): void {
    const { paths, times: at } = this.#index;
    const after = paths[seq] ?? "no_task";
    let before = seq === 0 ? "" : (paths[seq - 1] ?? "no_task");
    if (seq > 0) add(times, ancestry(before), Math.max(0, (at[seq] ?? 0) - (at[seq - 1] ?? 0)));
    const edgePath = this.#edgePaths.of(this.#trace.event(seq));
    if (edgePath.length === 0 && after === before) return;
    add(edges, edgePath, 1);
    // States that a macrostep only passes through are entered, too, for no time.
    for (const state of [...this.#edgePaths.passed(edgePath), after]) {
      for (const inside of ancestry(state)) if (!isWithin(before, inside)) add(entries, [inside], 1);
      before = state;
    }
  }
}

function add(sums: Map<string, number>, keys: readonly string[], value: number): void {
  for (const key of keys) sums.set(key, (sums.get(key) ?? 0) + value);
}
