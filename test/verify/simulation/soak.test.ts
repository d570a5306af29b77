import { describe, expect, it } from "vitest";
import { NO_FAULTS, soak } from "../../../verify/index.ts";

/** A clock that goes on by `ms` each time that it is asked. */
function clockBy(ms: number): () => number {
  let time = 1_000;
  return () => {
    time += ms;
    return time;
  };
}

const script = [{ text: "Well." }];
const options = { script, faults: NO_FAULTS };

describe("a soak", () => {
  it("lives as many tasks as it is told, and a hundred where it is told nothing", () => {
    expect(soak({ ...options, tasks: 3, now: clockBy(0) })).toMatchObject({ firstSeed: 1, tasks: 3 });
    expect(soak({ ...options, now: clockBy(0) }).tasks).toBe(100);
  });

  it("ends with its time, or with its number where that comes first", () => {
    expect(soak({ ...options, forMs: 100, now: clockBy(10) }).tasks).toBe(9);
    expect(soak({ ...options, forMs: 100, tasks: 2, now: clockBy(10) }).tasks).toBe(2);
    expect(soak({ ...options, forMs: 100, tasks: 200, now: clockBy(10) }).tasks).toBe(9);
  });

  it("tells how long it took by the clock that it was given, and nothing of a failure where there was none", () => {
    const found = soak({ ...options, tasks: 2, now: clockBy(10) });
    // Asked at the beginning, before each task that is begun, or not begun, and at the end.
    expect(found.tookMs).toBe(30);
    expect("failure" in found).toBe(false);
  });

  it("tells how far it came, after each hundred tasks", () => {
    const told: number[] = [];
    soak({ ...options, tasks: 250, now: clockBy(0), onProgress: (tasks) => told.push(tasks) });
    expect(told).toEqual([100, 200]);
  });
});
