import fc from "fast-check";
import type { PolicyEvent, Variable } from "../../../tools/temporal/event.ts";
import type { EventPattern, Formula } from "../../../tools/temporal/formula.ts";
import { runs as testRuns } from "../../support/campaigns.ts";

const SHARE = process.env.SIGNALBOX_TESTS === "mutants" ? 1 / 50 : testRuns(1, 1 / 10);

/** A number of runs; a tenth in `npm test`, fewer still where the tests run once for each mutant. */
export const runs = (many: number): number => Math.ceil(many * SHARE);

/** Any event. */
export const event: fc.Arbitrary<PolicyEvent> = fc.record(
  {
    kind: fc.constantFrom("call.started", "call.ended", "call.judged", "request"),
    tool: fc.constantFrom("read_file", "write_to_file"),
    effect: fc.constantFrom("reads", "writes"),
    paths: fc.constantFrom<(readonly string[])[]>([], ["a"], ["b"], ["a", "b"]),
    hosts: fc.constantFrom<(readonly string[])[]>([], ["x.org"], ["y.org"]),
    arguments: fc.constantFrom<NonNullable<PolicyEvent["arguments"]>[]>(
      {},
      { customer: ["ann"] },
      { customer: ["ann", "bob"] },
    ),
    notCompared: fc.constantFrom<(readonly string[])[]>([], ["customer"]),
    verdict: fc.constantFrom("pass", "deny"),
    author: fc.constantFrom("trusted", "untrusted"),
    scores: fc.constantFrom<NonNullable<PolicyEvent["scores"]>[]>({}, { trusted: 0.5 }, { trusted: 0.9 }),
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
  { argument: { customer: "a*" } },
  { verdict: "deny" },
  { author: "trusted", score: { trusted: { over: 0.5 } } },
  { event: "call.ended", path: ["b", "c"] },
);

/** Any formula. The bound variable's patterns occur within `each` only, and `each` outside of it only. */
export function formulas(
  bound: Variable | undefined,
  depth: number,
  patterns: fc.Arbitrary<Formula> = pattern,
): fc.Arbitrary<Formula> {
  const atom: fc.Arbitrary<Formula> =
    bound === undefined
      ? patterns
      : fc.oneof(patterns, fc.constant<Formula>({ same: bound, event: "call.ended" }));
  if (depth === 0) return atom;
  const inner = formulas(bound, depth - 1, patterns);
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
    .constantFrom<Variable[]>("path", "host", "tool", "argument.customer")
    .chain((same) => formulas(same, depth - 1).map((of) => ({ each: { same, of } })));
