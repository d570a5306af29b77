/**
 * Create a clock in ms that never goes back and misses no time. The monotonic clock of a system stands still while the
 * system sleeps, and the wall clock can be set: of both, the one that passed more time since the last reading counts.
 */
export function steadyClock(
  monotonic: () => number = () => performance.now(),
  wall: () => number = Date.now,
): () => number {
  let last = { monotonic: monotonic(), wall: wall() };
  let now = 0;
  return () => {
    const next = { monotonic: monotonic(), wall: wall() };
    now += Math.max(0, next.monotonic - last.monotonic, next.wall - last.wall);
    last = next;
    return now;
  };
}
