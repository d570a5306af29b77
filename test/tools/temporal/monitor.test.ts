import { expect, test } from "vitest";
import {
  and,
  atMost,
  compilePolicies,
  each,
  event,
  type Formula,
  historically,
  implies,
  not,
  once,
  type PolicyEvent,
  previous,
  since,
} from "../../../tools/temporal/index.ts";

const policy = (always: Formula) => [{ name: "p", clauses: [{ name: "c", always }] }];
const read = (path: string): PolicyEvent => ({
  kind: "call.ended",
  effect: "reads",
  paths: [path],
  outcome: "done",
});
const write = (...paths: readonly string[]): PolicyEvent => ({
  kind: "call.started",
  effect: "writes",
  paths,
});

const WRITE = event({ event: "call.started", effect: "writes" });
/** A file is read again before each further write of it. */
const READ_AGAIN = implies(
  WRITE,
  each(
    "path",
    previous(
      since(
        not(event({ event: "call.started", effect: "writes", same: "path" })),
        event({ event: "call.ended", effect: "reads", same: "path" }),
      ),
    ),
  ),
);

test("a verdict names the clause, the event, and the earlier events that decide it", () => {
  const secret = once(event({ event: "call.ended", path: ".env" }));
  const monitor = compilePolicies(policy(implies(event({ host: "*" }), not(secret)))).start();
  expect(monitor.verdict).toEqual({ holds: true, broken: [] });
  monitor.add({ kind: "request" });
  monitor.add(read(".env"));
  monitor.add(read("a"));
  monitor.add({ kind: "call.started", hosts: ["b.org"] });
  expect(monitor.verdict.broken).toEqual([{ policy: "p", clause: "c", at: 3, since: [1], values: [] }]);
  expect(monitor.reason).toBe("clause c of policy p, since event 1");
  monitor.add({ kind: "request" });
  expect(monitor.verdict.holds).toBe(true);
  expect(monitor.reason).toBeUndefined();
});

test("the events that decide a verdict are earlier ones, the oldest first", () => {
  const [a, b] = [once(event({ path: "a" })), once(event({ path: "b" }))];
  const monitor = compilePolicies(policy(and(not(b), not(a)))).start();
  monitor.add(read("a"));
  expect(monitor.verdict.broken[0]?.since).toEqual([]);
  monitor.add(read("b"));
  expect(monitor.verdict.broken[0]?.since).toEqual([0]);
  monitor.add({ kind: "request" });
  expect(monitor.verdict.broken[0]?.since).toEqual([0, 1]);
});

test("only the event that decides a verdict is named: the first event that a clause is about", () => {
  const [a, b] = [once(event({ path: "a" })), once(event({ path: "b" }))];
  const sinceOf = (always: Formula, ...events: readonly PolicyEvent[]) => {
    const monitor = compilePolicies(policy(always)).start();
    for (const next of [...events, { kind: "request" } as const]) monitor.add(next);
    return monitor.verdict.broken[0]?.since;
  };
  expect(sinceOf(and(a, not(b)), read("a"), read("b"))).toEqual([1]);
  expect(sinceOf(not(and(a, b)), read("a"), read("b"))).toEqual([0, 1]);
  expect(sinceOf(not(a), read("c"), read("a"), read("a"))).toEqual([1]);
  expect(sinceOf(historically(event({ path: "a" })), read("a"), read("b"), read("b"))).toEqual([1]);
});

test("a copy has the same verdict, and knows the same values", () => {
  const monitor = compilePolicies(policy(READ_AGAIN)).start();
  monitor.add(read("a"));
  expect(monitor.copy().judge(write("a")).holds).toBe(true);
  monitor.add(write("b"));
  expect(monitor.copy().verdict).toEqual(monitor.verdict);
  expect(monitor.verdict.holds).toBe(false);
});

test("the key of a monitor has what later verdicts depend on, and neither positions nor the order of values", () => {
  const once1 = once(event({ event: "call.ended", path: "a" }));
  const seen = each("path", once(event({ event: "call.ended", same: "path" })));
  const keyOf = (always: Formula, ...events: readonly PolicyEvent[]): string => {
    const monitor = compilePolicies(policy(always), { values: 2 }).start();
    for (const next of events) monitor.add(next);
    return monitor.key;
  };
  expect(keyOf(once1, read("a"))).toBe(keyOf(once1, read("b"), read("a")));
  expect(keyOf(once1, read("a"))).not.toBe(keyOf(once1, read("b")));
  expect(keyOf(once1, read("b"))).toBe(keyOf(once1));
  expect(keyOf(seen, read("a"), read("b"))).toBe(keyOf(seen, read("b"), read("a")));
  expect(keyOf(seen, read("a"))).not.toBe(keyOf(seen, read("b")));
  expect(keyOf(seen, write("a"))).toBe(keyOf(seen));
  expect(keyOf(seen, read("a"), read("b"), write("c"))).not.toBe(keyOf(seen, read("a"), read("b")));
  expect(keyOf(atMost(3, event({ path: "a" })), read("a"))).not.toBe(
    keyOf(atMost(3, event({ path: "a" })), read("a"), read("a")),
  );
});

test("an each remembers 1,000 values by default", () => {
  const seen = implies(WRITE, each("path", once(event({ event: "call.ended", same: "path" }))));
  const monitor = compilePolicies(policy(seen)).start();
  const paths = Array.from({ length: 1_000 }, (_, at) => `${at}`);
  monitor.add({ kind: "call.ended", effect: "reads", paths, outcome: "done" });
  monitor.add(write("7"));
  expect(monitor.verdict.holds).toBe(true);
  monitor.add(read("one more"));
  monitor.add(write("7"));
  expect(monitor.verdict.broken[0]?.limit).toBe("values");
});

test("a verdict names the values that it does not hold for", () => {
  const always = implies(
    WRITE,
    each("path", once(event({ event: "call.ended", effect: "reads", same: "path" }))),
  );
  const monitor = compilePolicies(policy(always)).start();
  monitor.add(read("a"));
  monitor.add(write("a"));
  expect(monitor.verdict.holds).toBe(true);
  monitor.add(write("a", "b"));
  expect(monitor.verdict.broken).toEqual([{ policy: "p", clause: "c", at: 2, since: [], values: ["b"] }]);
});

test("a bound value is compared with values of earlier events", () => {
  const monitor = compilePolicies(policy(READ_AGAIN)).start();
  const holds = (next: PolicyEvent): boolean => {
    monitor.add(next);
    return monitor.verdict.holds;
  };
  const events = [read("a"), read("b"), write("a"), write("b"), write("a")];
  expect(events.map(holds)).toEqual([true, true, true, true, false]);
});

test("a bound argument is compared with the arguments of earlier calls, and one that is missing equals none", () => {
  const verified = once(
    event({ event: "call.ended", tool: "verify", outcome: "done", same: "argument.customer" }),
  );
  const refunded = event({ event: "call.started", tool: "refund" });
  const call = (
    kind: "call.started" | "call.ended",
    tool: string,
    given?: PolicyEvent["arguments"],
  ): PolicyEvent => ({ kind, tool, outcome: "done", ...(given && { arguments: given }) });
  const monitor = compilePolicies(policy(implies(refunded, each("argument.customer", verified)))).start();
  const holds = (next: PolicyEvent): boolean => {
    monitor.add(next);
    return monitor.verdict.holds;
  };
  const ann = { customer: ["ann"] };
  expect(holds(call("call.started", "refund", ann))).toBe(false);
  for (const given of [ann, { name: ["bob"] }, undefined]) monitor.add(call("call.ended", "verify", given));
  expect(holds(call("call.started", "refund", ann))).toBe(true);
  for (const given of [{ customer: ["bob"] }, { customer: ["ann", "bob"] }, { name: ["ann"] }, undefined])
    expect(holds(call("call.started", "refund", given))).toBe(false);
  expect(holds({ kind: "prompt" })).toBe(true);
  // Where a value would forbid the call, a call without one is forbidden as well.
  const never = compilePolicies(policy(implies(refunded, not(each("argument.customer", verified))))).start();
  never.add(call("call.started", "refund"));
  expect(never.verdict.holds).toBe(false);
  expect(compilePolicies(policy(refunded)).arguments).toEqual([]);
  expect(compilePolicies(policy(each("argument.customer", verified))).arguments).toEqual(["customer"]);
});

test("an each over an argument does not hold for a call that also has a value of it that is not compared", () => {
  const refund = { kind: "call.started", tool: "refund", arguments: { customer: ["ann"] } } as const;
  const monitor = compilePolicies(policy(each("argument.customer", not(event({ mode: "code" }))))).start();
  expect(monitor.judge(refund).holds).toBe(true);
  expect(monitor.judge({ ...refund, notCompared: ["note"] }).holds).toBe(true);
  expect(monitor.judge({ ...refund, notCompared: ["customer"] }).holds).toBe(false);
  for (const kind of ["call.judged", "result.judged"] as const)
    expect(monitor.judge({ kind }).holds).toBe(false);
  expect(monitor.judge({ kind: "response.judged" }).holds).toBe(true);
});

test("the compared arguments are named by patterns and by each, also within each", () => {
  const named = and(
    event({ argument: { a: "x", "b.c": 1 } }),
    each("argument.d", once(event({ argument: { e: true, a: "y" } }))),
  );
  expect(compilePolicies(policy(named)).arguments).toEqual(["a", "b.c", "d", "e"]);
});

test("a limit of remembered values fails closed, and the verdict names it", () => {
  const seen = once(event({ event: "call.ended", same: "path" }));
  const required = implies(WRITE, each("path", seen));
  const forbidden = implies(WRITE, not(each("path", seen)));
  for (const always of [required, forbidden]) {
    const monitor = compilePolicies(policy(always), { values: 2 }).start();
    for (const path of ["a", "b"]) monitor.add(read(path));
    monitor.add(write(always === required ? "a" : "c"));
    expect(monitor.verdict.broken.map(({ limit }) => limit)).toEqual(always === required ? [] : ["values"]);
    monitor.add(read("d"));
    monitor.add(write("a"));
    expect(monitor.verdict.broken.map(({ limit }) => limit)).toEqual(["values"]);
    expect(monitor.reason).toContain("the limit values is reached");
  }
});

test("values without a past of their own are not remembered", () => {
  const always = implies(
    WRITE,
    each("path", once(event({ event: "call.ended", effect: "reads", same: "path" }))),
  );
  const monitor = compilePolicies(policy(always), { values: 2 }).start();
  for (let index = 0; index < 10; index += 1) monitor.add(write(`${index}`));
  monitor.add(read("a"));
  monitor.add(write("a"));
  expect(monitor.verdict.holds).toBe(true);
});

test("a count is of all events so far", () => {
  const monitor = compilePolicies(policy(atMost(2, event({ event: "request" })))).start();
  const held = ["request", "prompt", "request", "request", "prompt"] as const;
  expect(
    held.map((kind) => {
      monitor.add({ kind });
      return monitor.verdict.holds;
    }),
  ).toEqual([true, true, true, false, false]);
});

test("a formula that is too long is refused", () => {
  const long = and(...Array.from({ length: 10 }, (_, count) => atMost(count, event({ event: "request" }))));
  expect(() => compilePolicies(policy(long), { formulas: 11 })).toThrow(
    "expected at most 11 subformulas, received more",
  );
  expect(compilePolicies(policy(long), { formulas: 12 }).start().length).toBe(0);
});

test("a pattern with same outside of each, another variable and each within each are refused", () => {
  const compile = (always: Formula) => () => compilePolicies(policy(always));
  expect(compile(event({ same: "path" }))).toThrow("expected same: path within each");
  expect(compile(each("host", event({ same: "path" })))).toThrow("received host");
  expect(compile(each("host", each("host", event({ same: "host" }))))).toThrow(
    "expected no each within each",
  );
});
