import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventPattern, Formula } from "../../../tools/temporal/formula.ts";
import {
  and,
  assertConsistent,
  atMost,
  compilePolicies,
  each,
  event,
  implies,
  not,
  noWriteOutside,
  once,
  type PolicyEvent,
  type PolicyMonitor,
  previous,
  SHIPPED_POLICIES,
  TemporalError,
  type TemporalPolicy,
} from "../../../tools/temporal/index.ts";
import { event as anyEvent, formulas, runs } from "./arbitraries.ts";

const policy = (name: string, always: Formula): TemporalPolicy => ({
  name,
  clauses: [{ name: `of ${name}`, always }],
});
const policiesOf = (clauses: readonly Formula[]): readonly TemporalPolicy[] =>
  clauses.map((always, at) => policy(`p${at}`, always));

function contradictionIn(
  policies: readonly TemporalPolicy[],
  limits?: { readonly steps: number },
): string | undefined {
  try {
    assertConsistent(policies, limits);
    return undefined;
  } catch (error) {
    if (error instanceof TemporalError && error.code === "POLICY_CONTRADICTION") return error.message;
    throw error;
  }
}

const started = event({ event: "call.started" });
const writes = event({ event: "call.started", effect: "writes" });

describe("contradictory policies are found", () => {
  test.each([
    [
      "a clause under which no call starts",
      [policy("a", not(started))],
      "a call at some time, but no task ever has one under clause of a of policy a. Correct or remove it.",
    ],
    [
      "a clause that is broken at the first event",
      [policy("a", previous(started))],
      "a first event at some time, but no task",
    ],
    [
      "two clauses about who permits a call",
      [
        policy("a", implies(writes, event({ by: "person" }))),
        policy("b", implies(writes, event({ by: "policy" }))),
      ],
      "a call with the effect writes at some time, but no task ever has one under these together: clause of a of policy a; clause of b of policy b. Correct or remove one of them.",
    ],
    [
      "two clauses about the past of a call",
      [
        policy("a", implies(started, once(event({ event: "mode", mode: "docs" })))),
        policy("b", implies(started, not(once(event({ event: "mode" }))))),
      ],
      "a call at some time",
    ],
    [
      "two clauses about the same paths",
      [
        policy("a", implies(writes, event({ path: "src/**" }))),
        policy("b", implies(writes, not(event({ path: "src/**" })))),
      ],
      "a call with the effect writes",
    ],
  ])("%s", (_, policies, message) => {
    expect(contradictionIn(policies)).toContain(`expected policies that permit ${message}`);
  });

  test("among others that have nothing to do with it, and those are not named", () => {
    const writesBy = (name: string, by: "person" | "policy") => policy(name, implies(writes, event({ by })));
    const policies = [writesBy("a", "person"), ...SHIPPED_POLICIES, writesBy("b", "policy")];
    expect(contradictionIn(policies)).toContain(
      "together: clause of a of policy a; clause of b of policy b.",
    );
  });

  test("of three clauses that hold two by two", () => {
    const [a, b] = [event({ event: "mode", mode: "a" }), event({ event: "mode", mode: "b" })];
    const policies = [
      policy("a", implies(started, once(a))),
      policy("b", implies(started, once(b))),
      policy("c", implies(started, not(and(once(a), once(b))))),
      policy("d", implies(started, event({ by: "person" }))),
    ];
    expect(contradictionIn(policies)).toContain(
      "of policy a; clause of b of policy b; clause of c of policy c.",
    );
  });
});

describe("nothing is reported", () => {
  test.each([
    ["for the shipped policies", [...SHIPPED_POLICIES, noWriteOutside("src/**"), noWriteOutside("docs/**")]],
    ["where one clause alone forbids an effect", [policy("a", not(writes)), ...SHIPPED_POLICIES]],
    [
      "for questions and completions, which are not judged",
      (["person", "policy"] as const).map((by) =>
        policy(by, implies(event({ event: "call.started", effect: "asks" }), event({ by }))),
      ),
    ],
    [
      "for arguments, scores, verdicts and authors, which are not compared",
      [
        { argument: { encoding: "utf8" } },
        { score: { trusted: { over: 0.5 } } },
        { verdict: "audit" } as const,
        { author: "trusted" } as const,
      ].map((pattern, at) => policy(`p${at}`, implies(started, event(pattern)))),
    ],
    ["for values of an each, which are not compared", [policy("a", implies(started, each("tool", and())))]],
  ])("%s", (_, policies) => {
    expect(contradictionIn(policies)).toBeUndefined();
  });

  test("where the limit is reached first", () => {
    const million = atMost(1_000_000, event({ event: "request" }));
    expect(contradictionIn([policy("a", implies(started, and(million, not(million))))])).toBeUndefined();
    expect(contradictionIn([policy("a", not(started))], { steps: 10 })).toBeUndefined();
    const many = Array.from({ length: 60 }, (_, at) => not(event({ event: "call.started", path: `${at}` })));
    expect(contradictionIn(policiesOf([and(...many), not(once(started))]), { steps: 10 })).toBeUndefined();
  });
});

test("a clause that is reported as contradictory breaks at every such event of every random trace", () => {
  let reported = 0;
  fc.assert(
    fc.property(
      fc.array(formulas(undefined, 2), { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), { minLength: 20, maxLength: 20 }),
      (clauses, traces) => {
        const policies = policiesOf(clauses);
        const found = contradictionIn(policies);
        if (found === undefined) return true;
        reported += 1;
        const isMeant = eventOf(found);
        return traces.every((trace) => {
          const monitor = compilePolicies(policies).start();
          return trace.every((one, at) => {
            monitor.add(one);
            return !isMeant(one, at) || !monitor.verdict.holds;
          });
        });
      },
    ),
    { numRuns: runs(2_000) },
  );
  expect(reported).toBeGreaterThan(runs(200));
});

/** What the text of a contradiction says that no task has. */
function eventOf(found: string): (event: PolicyEvent, at: number) => boolean {
  const [, what, effect] = /permit a (first event|call(?: with the effect (\w+))?) at/.exec(found) ?? [];
  if (what === "first event") return (_, at) => at === 0;
  return (one) => one.kind === "call.started" && (effect === undefined || one.effect === effect);
}

describe("policies that are not reported", () => {
  const patterns = fc.constantFrom<EventPattern[]>(
    {},
    { event: "call.started" },
    { event: ["call.ended", "request"] },
    { effect: "writes" },
    { by: "person" },
  );
  const events = (["call.started", "call.ended", "request", "prompt"] as const).flatMap((kind) =>
    [{}, { effect: "reads" } as const, { effect: "writes" } as const].flatMap((effect) =>
      [{}, { by: "person" } as const, { by: "policy" } as const].map(
        (by): PolicyEvent => ({ kind, ...effect, ...by }),
      ),
    ),
  );
  // Without an each, which is not compared, and without counts, which need longer traces.
  const closed = formulas(undefined, 2, patterns).filter(
    (formula) => !/each|"count":[23]/.test(JSON.stringify(formula)),
  );

  test("have a first event, and a call that starts", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(closed, { minLength: 1, maxLength: 3 }), (clauses) => {
        const policies = policiesOf(clauses);
        if (contradictionIn(policies) !== undefined) return true;
        accepted += 1;
        const { start } = compilePolicies(policies);
        expect(events.some((first) => start().judge(first).holds)).toBe(true);
        return isCallAccepted(start(), 4);
      }),
      { numRuns: runs(2_000) },
    );
    expect(accepted).toBeGreaterThan(runs(200));
  });

  /** Whether a call starts after some of the events, at most so many with it. */
  const isCallAccepted = (monitor: PolicyMonitor, most: number): boolean =>
    Array.from({ length: most }, (_, length) => length).some((length) => isAcceptedAfter(length, monitor));

  const isAcceptedAfter = (length: number, monitor: PolicyMonitor): boolean =>
    events.some((one) => {
      if (length === 0) return one.kind === "call.started" && monitor.judge(one).holds;
      const next = monitor.copy();
      next.add(one);
      return isAcceptedAfter(length - 1, next);
    });
});
