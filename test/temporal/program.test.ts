import fc from "fast-check";
import { expect, test } from "vitest";
import type { PolicyEvent, Variable } from "../../temporal/event.ts";
import type { EventPattern, Formula } from "../../temporal/formula.ts";
import { compilePolicies } from "../../temporal/index.ts";
import { holds } from "./naive.ts";

const event: fc.Arbitrary<PolicyEvent> = fc.record(
  {
    kind: fc.constantFrom("call.started", "call.ended", "request"),
    tool: fc.constantFrom("read_file", "write_to_file"),
    effect: fc.constantFrom("reads", "writes"),
    paths: fc.constantFrom<(readonly string[])[]>([], ["a"], ["b"], ["a", "b"]),
    hosts: fc.constantFrom<(readonly string[])[]>([], ["x.org"], ["y.org"]),
    by: fc.constantFrom("person", "policy"),
    outcome: fc.constantFrom("done", "failed"),
  },
  { requiredKeys: ["kind"] },
);

const pattern: fc.Arbitrary<EventPattern> = fc.constantFrom<EventPattern[]>(
  {},
  { event: "call.started" },
  { event: ["call.ended", "request"] },
  { tool: "read_*" },
  { effect: "writes" },
  { path: "a" },
  { host: "*.org" },
  { by: "person" },
  { outcome: "done" },
  { event: "call.ended", path: ["b", "c"] },
);

/** The bound variable's patterns occur within `each` only, and `each` outside of it only. */
function formulas(bound: Variable | undefined, depth: number): fc.Arbitrary<Formula> {
  const atom: fc.Arbitrary<Formula> =
    bound === undefined
      ? pattern
      : fc.oneof(pattern, fc.constant<Formula>({ same: bound, event: "call.ended" }));
  if (depth === 0) return atom;
  const inner = formulas(bound, depth - 1);
  const pair = fc.tuple(inner, inner);
  const list = fc.array(inner, { maxLength: 3 });
  return fc.oneof(
    atom,
    inner.map((not) => ({ not })),
    list.map((and) => ({ and })),
    list.map((or) => ({ or })),
    pair.map((implies) => ({ implies })),
    inner.map((previous) => ({ previous })),
    inner.map((once) => ({ once })),
    inner.map((historically) => ({ historically })),
    pair.map((since) => ({ since })),
    fc.tuple(fc.nat({ max: 3 }), inner).map(([count, of]) => ({ atMost: { count, of } })),
    ...(bound === undefined ? [eachOf(depth)] : []),
  );
}

const eachOf = (depth: number): fc.Arbitrary<Formula> =>
  fc
    .constantFrom<Variable[]>("path", "host", "tool")
    .chain((same) => formulas(same, depth - 1).map((of) => ({ each: { same, of } })));

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
