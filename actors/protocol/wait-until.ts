import type { Clock } from "../../ports/clock.ts";

/** The maximum delay of a Node.js timer: a longer one fires at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Call `fire` once, when the clock reaches `deadline` (milliseconds since 1970), and asynchronously if it has passed.
 * Returns a function that cancels it. A long wait uses several timers, and a timer that fires early is set again.
 */
export function waitUntil(clock: Clock, deadline: number, fire: () => void): () => void {
  let cancel: () => void = () => {};
  const wait = (): void => {
    const left = Math.max(deadline - clock.now(), 0);
    cancel = clock.after(Math.min(left, MAX_DELAY_MS), () => (clock.now() < deadline ? wait() : fire()));
  };
  wait();
  return () => cancel();
}
