import type { MovesAt } from "./trace-index.ts";
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

/** The path of a call in the first `count` entries. Its last transitions belong to the event `at`. */
export function callPath(moved: readonly MovesAt[], callId: string, count: number, at: number): CallPath {
  const entries = new Map<string, number>();
  const edges = new Map<string, number>();
  let phase = "planned";
  let last: readonly string[] = [];
  for (const { seq, moves } of moved.slice(0, count)) {
    const own = moves.filter((move) => move.callId === callId);
    for (const { from, to } of own) {
      if (entries.size === 0) add(entries, from);
      add(entries, to);
      add(edges, `${from} -> ${to}`);
      phase = to;
    }
    if (seq === at) last = own.map(({ from, to }) => `${from} -> ${to}`);
  }
  return { phase, visits: { entries, edges, times: new Map(), last } };
}

function add(sums: Map<string, number>, key: string): void {
  sums.set(key, (sums.get(key) ?? 0) + 1);
}
