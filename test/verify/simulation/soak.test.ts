import { describe, expect, it } from "vitest";
import { NO_FAULTS, soak } from "../../../verify/index.ts";

/** A clock that advances by `ms` on each call. */
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
  it("simulates the given number of tasks, by default 100", () => {
    expect(soak({ ...options, tasks: 3, now: clockBy(0) })).toMatchObject({ firstSeed: 1, tasks: 3 });
    expect(soak({ ...options, now: clockBy(0) }).tasks).toBe(100);
  });

  it("ends at its time limit or its number of tasks, whichever comes first", () => {
    expect(soak({ ...options, forMs: 100, now: clockBy(10) }).tasks).toBe(9);
    expect(soak({ ...options, forMs: 100, tasks: 2, now: clockBy(10) }).tasks).toBe(2);
    expect(soak({ ...options, forMs: 100, tasks: 200, now: clockBy(10) }).tasks).toBe(9);
  });

  it("reports its time by the given clock, and no failure if there was none", () => {
    const found = soak({ ...options, tasks: 2, now: clockBy(10) });
    // The clock is read at the start, before each task, and at the end.
    expect(found.tookMs).toBe(30);
    expect("failure" in found).toBe(false);
  });

  it("reports progress after every 100 tasks", () => {
    const reports: number[] = [];
    soak({ ...options, tasks: 250, now: clockBy(0), onProgress: (tasks) => reports.push(tasks) });
    expect(reports).toEqual([100, 200]);
  });
});
