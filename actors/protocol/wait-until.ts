import type { Clock } from "./edge.ts";

/** The longest delay that one of Node's timers can hold: a longer one fires at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Calls `fire` once, when the clock has reached `deadline` (milliseconds since 1970); a deadline that has
 * passed fires as soon as the clock can. The function it gives takes that back. Long waits are done in
 * stretches, and a timer that comes early is set again.
 */
export function waitUntil(clock: Clock, deadline: number, fire: () => void): () => void {
  let cancel: () => void = () => {};
  const wait = (): void => {
    const rest = Math.max(deadline - clock.now(), 0);
    cancel = clock.after(Math.min(rest, MAX_DELAY_MS), () => (clock.now() < deadline ? wait() : fire()));
  };
  wait();
  return () => cancel();
}
