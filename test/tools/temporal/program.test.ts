import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePolicies } from "../../../tools/temporal/index.ts";
import { event, formulas, runs } from "./arbitraries.ts";
import { holds } from "./naive.ts";

const RUNS = 100_000;

test(`the monitor's verdict equals the recursive meaning of the formula, on ${runs(RUNS)} random traces`, () => {
  fc.assert(
    fc.property(formulas(undefined, 3), fc.array(event, { minLength: 1, maxLength: 8 }), (formula, trace) => {
      const monitor = compilePolicies([{ name: "p", clauses: [{ name: "c", always: formula }] }]).start();
      for (const [at, one] of trace.entries()) {
        monitor.add(one);
        if (monitor.verdict.holds !== holds(formula, trace, at)) return false;
      }
      return true;
    }),
    { numRuns: runs(RUNS) },
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
    { numRuns: runs(2_000) },
  );
});

test("monitors with the same key judge all later events alike", () => {
  let same = 0;
  const traces = fc.array(event, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(formulas(undefined, 2), traces, traces, traces, (formula, one, other, later) => {
      const { start } = compilePolicies([{ name: "p", clauses: [{ name: "c", always: formula }] }]);
      const monitors = [start(), start()] as const;
      for (const past of one) monitors[0].add(past);
      for (const past of other) monitors[1].add(past);
      if (monitors[0].key !== monitors[1].key) return true;
      same += 1;
      return later.every((next) => {
        for (const monitor of monitors) monitor.add(next);
        return monitors[0].verdict.holds === monitors[1].verdict.holds;
      });
    }),
    { numRuns: runs(10_000) },
  );
  expect(same).toBeGreaterThan(runs(1_000));
});
