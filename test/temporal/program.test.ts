import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePolicies } from "../../temporal/index.ts";
import { event, formulas } from "./arbitraries.ts";
import { holds } from "./naive.ts";

const RUNS = 100_000;

test("the monitor's verdict equals the recursive meaning of the formula, on 100,000 random traces", () => {
  fc.assert(
    fc.property(formulas(undefined, 3), fc.array(event, { minLength: 1, maxLength: 8 }), (formula, trace) => {
      const monitor = compilePolicies([{ name: "p", clauses: [{ name: "c", always: formula }] }]).start();
      for (const [at, one] of trace.entries()) {
        monitor.add(one);
        if (monitor.verdict.holds !== holds(formula, trace, at)) return false;
      }
      return true;
    }),
    { numRuns: RUNS },
  );
});

test("a copy of a monitor has the same past, and changes nothing of it", () => {
  fc.assert(
    fc.property(formulas(undefined, 2), fc.array(event, { minLength: 2, maxLength: 8 }), (formula, trace) => {
      const { start } = compilePolicies([{ name: "p", clauses: [{ name: "c", always: formula }] }]);
      const monitor = start();
      for (const one of trace) {
        const copy = monitor.copy();
        for (const other of trace) copy.add(other);
        const judged = monitor.judge(one);
        monitor.add(one);
        expect(judged).toEqual(monitor.verdict);
      }
      const again = start();
      for (const one of trace) again.add(one);
      expect(again.verdict).toEqual(monitor.verdict);
    }),
    { numRuns: 2_000 },
  );
});
