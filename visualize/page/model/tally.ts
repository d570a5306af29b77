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

interface Sums {
  readonly entries: Map<string, number>;
  readonly times: Map<string, number>;
  readonly edges: Map<string, number>;
}

/** Every so many events the sums are kept: so many are counted at most for any place, once all were read. */
const KEPT_EVERY = 256;

/** The counts at any place of a trace. What was counted once is kept. */
export class Tallies {
  readonly #trace: TraceReader;
  readonly #index: TraceIndex;
  readonly #walks: Walks;
  /** The sums before each {@link KEPT_EVERY}th event. */
  readonly #kept: Sums[] = [{ entries: new Map(), times: new Map(), edges: new Map() }];

  constructor(trace: TraceReader, index: TraceIndex, walks: Walks) {
    this.#trace = trace;
    this.#index = index;
    this.#walks = walks;
  }

  /** Counts from the beginning up to `at`. */
  at(at: number): Tally {
    const wanted = Math.floor(at / KEPT_EVERY);
    for (let place = this.#kept.length; place <= wanted; place += 1)
      this.#kept.push(this.#counted(place - 1, place * KEPT_EVERY - 1));
    return { ...this.#counted(wanted, at), last: this.#walks.of(this.#trace.event(at)) };
  }

  /** The sums after the event `to`, from those that are kept at `place` on. */
  #counted(place: number, to: number): Sums {
    const kept = this.#kept[place];
    const sums: Sums = {
      entries: new Map(kept?.entries),
      times: new Map(kept?.times),
      edges: new Map(kept?.edges),
    };
    for (let seq = place * KEPT_EVERY; seq <= to; seq += 1) this.#count(sums, seq);
    return sums;
  }

  #count({ entries, times, edges }: Sums, seq: number): void {
    const { paths, times: at } = this.#index;
    const path = paths[seq] ?? "no_task";
    let before = seq === 0 ? "" : (paths[seq - 1] ?? "no_task");
    if (seq > 0) add(times, ancestry(before), Math.max(0, (at[seq] ?? 0) - (at[seq - 1] ?? 0)));
    const way = this.#walks.of(this.#trace.event(seq));
    if (way.length === 0 && path === before) return;
    add(edges, way, 1);
    // What a macrostep only passes through is come to as well, for no time.
    for (const state of [...this.#walks.passed(way), path]) {
      for (const inside of ancestry(state)) if (!isWithin(before, inside)) add(entries, [inside], 1);
      before = state;
    }
  }
}

function add(sums: Map<string, number>, keys: readonly string[], value: number): void {
  for (const key of keys) sums.set(key, (sums.get(key) ?? 0) + value);
}
