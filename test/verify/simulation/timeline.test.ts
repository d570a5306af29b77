import { describe, expect, it } from "vitest";
import { Timeline } from "../../../verify/simulation/timeline.ts";

/** All remaining events, each with its time. */
function remaining(timeline: Timeline<string>): string[] {
  const came: string[] = [];
  for (let next = timeline.next(); next !== undefined; next = timeline.next())
    came.push(`${timeline.now} ${next}`);
  return came;
}

describe("a simulated clock (L15)", () => {
  it("returns events in order of time, and of scheduling at equal times", () => {
    const timeline = new Timeline<string>(100);
    for (const [by, afterMs, what] of [
      ["a", 30, "late"],
      ["b", 10, "first"],
      ["a", 10, "second"],
      ["b", -5, "now"],
    ] as const)
      timeline.schedule(by, afterMs, what);
    expect(remaining(timeline)).toEqual(["100 now", "110 first", "110 second", "130 late"]);
    expect(timeline.next()).toBeUndefined();
  });

  it("advances without events, and never goes back", () => {
    const timeline = new Timeline<string>(100);
    timeline.schedule("a", 10, "a");
    timeline.advance(50);
    timeline.schedule("b", 10, "b");
    expect(remaining(timeline)).toEqual(["150 a", "160 b"]);
  });

  it("cancels the events of one source except those in transit, or all", () => {
    const timeline = new Timeline<string>(0);
    for (const [by, what] of [
      ["a", "a1"],
      ["b", "b1"],
      ["a", "a2"],
    ] as const)
      timeline.schedule(by, 1, what);
    let asked = 0;
    timeline.cancel("a", () => {
      asked += 1;
      return asked === 2;
    });
    expect(asked).toBe(2);
    timeline.schedule("c", 1, "c1");
    expect(remaining(timeline)).toEqual(["1 b1", "1 a2", "1 c1"]);
    timeline.schedule("c", 1, "c2");
    timeline.clear();
    expect(remaining(timeline)).toEqual([]);
  });
});
