import { useEffect, useState } from "react";

/** The page's source of time. Tests inject their own. */
export interface PageClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Call `tick` each second until the returned function is called. */
  readonly everySecond: (tick: () => void) => () => void;
}

export const browserClock: PageClock = {
  now: () => Date.now(),
  everySecond(tick) {
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  },
};

/** The time, to the second while `isTicking`. Without it, the time of the last tick. */
export function useNow(clock: PageClock, isTicking: boolean): number {
  const [now, setNow] = useState(clock.now);
  useEffect(() => {
    if (!isTicking) return;
    const tick = (): void => setNow(clock.now());
    tick();
    return clock.everySecond(tick);
  }, [clock, isTicking]);
  return now;
}
