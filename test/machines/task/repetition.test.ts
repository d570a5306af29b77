import { describe, expect, it } from "vitest";
import { cycle, repetition } from "../../../machines/conversation/notices.ts";
import { Scenario } from "../../support/scenario.ts";

/** Plays one response with one permitted read per letter. Stops where a call is refused. */
function played(calls: string, repetitions: number, mistakes = 0): Scenario {
  const scenario = new Scenario({ limits: { repetitions, mistakes, requests: 1_000 } }).begun();
  return plays(scenario, calls);
}

function plays(scenario: Scenario, calls: string): Scenario {
  for (const name of calls) {
    if (scenario.state === "streaming.preparing") scenario.prepared();
    scenario.calls({ name, effect: "reads", verdict: "allow" });
    if (scenario.state === "streaming.receiving") scenario.finishes();
    if (scenario.state === "running.calling") scenario.toolEnds();
  }
  expect(scenario.run.violations).toEqual([]);
  return scenario;
}

const errors = ({ run }: Scenario): unknown[] =>
  run.view.context.log.toArray().flatMap(({ say, text }) => (say === "error" ? [text] : []));

describe("a cycle of calls (L14)", () => {
  it.each([
    ["one call", "A", 1, repetition("A")],
    ["one call", "A", 3, repetition("A")],
    ["two calls", "AB", 1, cycle("B", 2)],
    ["two calls", "AB", 3, cycle("B", 2)],
    ["three calls", "ABC", 1, cycle("C", 3)],
    ["three calls", "ABC", 3, cycle("C", 3)],
    ["three calls, of which two are equal", "AAB", 2, cycle("B", 3)],
  ])(
    "of %s, %s, may come %i times in a row; the last call of one more is refused",
    (_, calls, limit, notice) => {
      const sequence = calls.repeat(limit + 1);
      expect(errors(played(sequence.slice(0, -1), limit))).toEqual([]);
      expect(errors(played(sequence, limit))).toEqual([notice]);
    },
  );

  it("of four calls is not a repetition", () => {
    expect(errors(played("ABCD".repeat(6), 1))).toEqual([]);
  });

  it("begins anew after another call", () => {
    expect(errors(played(["ABA", "C", "BAB"].join(""), 1))).toEqual([]);
    expect(errors(played(["ABA", "C", "BAB", "A"].join(""), 1))).toEqual([cycle("A", 2)]);
  });

  it("begins anew after a refusal", () => {
    const scenario = played("ABAB", 1);
    expect(errors(scenario)).toHaveLength(1);
    expect(errors(plays(scenario, "ABA"))).toHaveLength(1);
    expect(errors(plays(scenario, "B"))).toEqual([cycle("B", 2), cycle("B", 2)]);
  });

  it("is not counted with the limit 0", () => {
    expect(errors(played("AB".repeat(9), 0))).toEqual([]);
  });

  it("that is refused asks for guidance before the next request, whatever the number of errors", () => {
    const scenario = played("ABAB", 1, 5);
    expect(scenario.state).toBe("idle.mistaken");
  });

  it("goes on after a crash (L11)", () => {
    const scenario = played("ABA", 1).crashes().answers("yes").prepared();
    expect(errors(plays(scenario, "B"))).toEqual([cycle("B", 2)]);
  });
});

it("a count of equal calls in a journal without cycles goes on (L11)", () => {
  const scenario = played("AAA", 3);
  const { view } = scenario.run;
  const { repeated, cycles: _, ...others } = view.context.counters;
  expect(repeated).toEqual({ digest: "A!", times: 3 });
  const counters = { ...others, repeated };
  const old = { ...view, recorded: { ...view.recorded, facts: { ...view.recorded.facts, counters } } };
  scenario.run.crash(
    { type: "process.crashed", at: 9_000, keepsGrowth: false, ends: [], childEnds: [] },
    old,
  );
  expect(scenario.run.view.context.counters).toEqual(counters);
  expect(errors(plays(scenario.answers("yes").prepared(), "A"))).toEqual([repetition("A")]);
});
