import type { Change } from "./change.ts";
import { setCounters } from "./counters.ts";
import type { RepeatedCall } from "./task.events.ts";

/** No call. A refusal leaves this, so that the next attempt is not refused at once. */
const NONE: RepeatedCall = { digest: "", times: 0 };

/**
 * Counts a call as the next one of a cycle of one, two and three calls. Returns the length of the cycle that it repeats
 * more often than the limit, and undefined if there is none.
 */
export function countRepetition(change: Change, digest: string): number | undefined {
  const { repeated, cycles = [] } = change.context.counters;
  const { repetitions } = change.context.limits;
  const [second = NONE, third = NONE] = cycles;
  // Any calls are a cycle of their number, so a call that repeats none ends a row of `length`.
  const rowOf = (before: RepeatedCall, length: number): number =>
    before.digest === digest ? before.times + 1 : length;
  const [one, two, three] = [rowOf(repeated, 1), rowOf(second, 2), rowOf(third, 3)];
  const exceeded = [one, two, three].findIndex((row, index) => row >= (index + 1) * (repetitions + 1));
  if (repetitions > 0 && exceeded >= 0) {
    forgetRepetition(change);
    return exceeded + 1;
  }
  setCounters(change, {
    repeated: { digest, times: one },
    cycles: [
      { digest: repeated.digest, times: two },
      { digest: second.digest, times: three },
    ],
  });
  return undefined;
}

/** Counts the next call as the first one: what repeats before and after a long time is no loop. */
export const forgetRepetition = (change: Change): void => setCounters(change, { repeated: NONE, cycles: [] });
