import { describe, expect, test } from "vitest";
import { steadyClock } from "../../../store/ownership/steady-clock.ts";

/** A steady clock over two clocks that the test sets. */
function createClock() {
  const system = { monotonic: 5_000, wall: 1_000_000 };
  const now = steadyClock(
    () => system.monotonic,
    () => system.wall,
  );
  const pass = (monotonic: number, wall: number): number => {
    system.monotonic += monotonic;
    system.wall += wall;
    return now();
  };
  return { now, pass };
}

describe("a steady clock", () => {
  test("counts the time since it was created", () => {
    const { now, pass } = createClock();
    expect([now(), pass(10, 10), pass(0, 0), pass(5, 5)]).toEqual([0, 10, 10, 15]);
  });

  test("does not go back, and misses no time, when the wall clock is set back", () => {
    const { pass } = createClock();
    expect([pass(10, -60_000), pass(10, 10)]).toEqual([10, 20]);
  });

  test("counts a step forward of the wall clock once", () => {
    const { pass } = createClock();
    expect([pass(10, 60_000), pass(10, 10)]).toEqual([60_000, 60_010]);
  });

  test("counts the time in which the system slept and its monotonic clock stood still", () => {
    const { pass } = createClock();
    expect([pass(10, 10), pass(0, 3_600_000), pass(10, 10)]).toEqual([10, 3_600_010, 3_600_020]);
  });

  test("does not go back when both clocks do", () => {
    const { pass } = createClock();
    expect([pass(-10, -10), pass(10, 10)]).toEqual([0, 10]);
  });

  test("reads the clocks of the system by default", () => {
    const now = steadyClock();
    const first = now();
    expect(now()).toBeGreaterThanOrEqual(first);
  });
});
