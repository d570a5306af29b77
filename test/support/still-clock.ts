import type { Clock } from "../../ports/clock.ts";

/** A clock that the test moves. */
export interface StillClock extends Clock {
  /** The number of timers that have neither fired nor been cancelled. */
  readonly pending: number;
  advance(ms: number): void;
}

export function stillClock(): StillClock {
  let now = 0;
  const timers = new Set<{ at: number; fire: () => void }>();
  return {
    now: () => now,
    after(delayMs, fire) {
      const timer = { at: now + delayMs, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    advance(ms) {
      now += ms;
      for (const timer of [...timers]) {
        if (timer.at > now || !timers.delete(timer)) continue;
        timer.fire();
      }
    },
  };
}
