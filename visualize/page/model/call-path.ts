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
  readonly at: number;
  /** The time until which the call stays in its phase, in milliseconds since 1970. */
  readonly until: number;
}

/** The path of a call up to the event `at`, which its last transitions belong to. A settled call takes no time. */
export function callPath(
  { moves: moved, times: timeOf }: Pick<TraceIndex, "moves" | "times">,
  callId: string,
  { at, until }: CallPathOptions,
): CallPath {
  const entries = new Map<string, number>();
  const edges = new Map<string, number>();
  const times = new Map<string, number>();
  let phase = "planned";
  let since: number | undefined;
  let last: readonly string[] = [];
  const stay = (to: number): void => {
    if (since !== undefined && phase !== "settled") add(times, phase, Math.max(0, to - since));
    since = to;
  };
  for (const { seq, moves } of moved.slice(0, countUntil(moved, at))) {
    const own = moves.filter((move) => move.callId === callId);
    if (own.length > 0) stay(timeOf[seq] ?? 0);
    for (const { from, to } of own) {
      if (entries.size === 0) add(entries, from);
      add(entries, to);
      add(edges, `${from} -> ${to}`);
      phase = to;
    }
    if (seq === at) last = own.map(({ from, to }) => `${from} -> ${to}`);
  }
  stay(until);
  return { phase, visits: { entries, edges, times, last } };
}

function add(sums: Map<string, number>, key: string, value = 1): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
