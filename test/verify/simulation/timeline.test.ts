import { describe, expect, it } from "vitest";
import { Timeline } from "../../../verify/simulation/timeline.ts";

/** All that is still to come, each with its moment. */
function rest(timeline: Timeline<string>): string[] {
  const came: string[] = [];
  for (let next = timeline.next(); next !== undefined; next = timeline.next())
    came.push(`${timeline.now} ${next}`);
  return came;
}

describe("a simulated clock (L15)", () => {
  it("brings what is planned in the order of its moments, and of one moment in the order of the plans", () => {
    const timeline = new Timeline<string>(100);
    for (const [by, afterMs, what] of [
      ["a", 30, "late"],
      ["b", 10, "first"],
      ["a", 10, "second"],
      ["b", -5, "now"],
    ] as const)
      timeline.schedule(by, afterMs, what);
    expect(rest(timeline)).toEqual(["100 now", "110 first", "110 second", "130 late"]);
    expect(timeline.next()).toBeUndefined();
  });

  it("goes on while nothing happens, and never back", () => {
    const timeline = new Timeline<string>(100);
    timeline.schedule("a", 10, "a");
    timeline.advance(50);
    timeline.schedule("b", 10, "b");
    expect(rest(timeline)).toEqual(["150 a", "160 b"]);
  });

  it("forgets what one planned, but for what is on its way; or all", () => {
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
    expect(rest(timeline)).toEqual(["1 b1", "1 a2", "1 c1"]);
    timeline.schedule("c", 1, "c2");
    timeline.clear();
    expect(rest(timeline)).toEqual([]);
  });
});
