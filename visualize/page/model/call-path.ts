import type { EdgePaths, TakenRow } from "./edge-paths.ts";
import type { MovesAt, TraceIndex } from "./trace-index.ts";
import type { VisitCounts } from "./visit-counts.ts";

/** The phase of a tool call after an event, and the transitions of its machine that it took up to then. */
export interface CallPath {
  readonly phase: string;
  readonly visits: VisitCounts;
}

/** The number of entries up to the event `at`. */
export const countUntil = (moved: readonly MovesAt[], at: number): number =>
  moved.findLastIndex(({ seq }) => seq <= at) + 1;

/** The phases after the first `count` entries, by the ids of the calls that have moved, the newest call last. */
export function callPhases(moved: readonly MovesAt[], count: number): ReadonlyMap<string, string> {
  const phases = new Map<string, string>();
  for (const { moves } of moved.slice(0, count)) for (const { callId, to } of moves) phases.set(callId, to);
  return phases;
}

export interface CallPathOptions {
  /** The paths through the chart of a call. */
  readonly edgePaths: EdgePaths;
  readonly at: number;
  /** The time until which the call stays in its phase, in milliseconds since 1970. */
  readonly until: number;
}

/** The path of a call up to the event `at`, by the rows of its chart. The rows of that event are the last. A settled call takes no time. */
export function callPath(
  { moves: moved, times: timeOf }: Pick<TraceIndex, "moves" | "times">,
  callId: string,
  { edgePaths, at, until }: CallPathOptions,
): CallPath {
  const entries = new Map<string, number>();
  const rows = new Map<TakenRow, number>();
  const times = new Map<string, number>();
  const lastAt = new Map<TakenRow, number>();
  let phase = "planned";
  let since: number | undefined;
  let last: readonly TakenRow[] = [];
  const stay = (to: number): void => {
    if (since !== undefined && phase !== "settled") add(times, phase, Math.max(0, to - since));
    since = to;
  };
  for (const { seq, moves } of moved.slice(0, countUntil(moved, at))) {
    const own = moves.filter((move) => move.callId === callId);
    if (own.length > 0) stay(timeOf[seq] ?? 0);
    const taken = own.flatMap(({ by, from, to }) => edgePaths.anyRow(`${from} -> ${to}`, by) ?? []);
    for (const row of taken) {
      add(rows, row);
      lastAt.set(row, seq);
    }
    for (const { from, to } of own) {
      if (entries.size === 0) add(entries, from);
      add(entries, to);
      phase = to;
    }
    if (seq === at) last = taken;
  }
  stay(until);
  return { phase, visits: { entries, times, rows, inferred: new Map(), lastAt, last } };
}

function add<Key>(sums: Map<Key, number>, key: Key, value = 1): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
