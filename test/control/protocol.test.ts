import { describe, expect, test } from "vitest";
import { defineProtocol } from "../../control/protocol.ts";
import { CALL, RESPONSE } from "./protocols/run.ts";

const monitors = {
  first: { by: "trusted", at: "call", thresholds: [0.5] },
  second: { by: "function", at: "response", thresholds: [] },
} as const;

/** A protocol whose deny reason shows what its judge received. */
const echo = (explains: boolean) =>
  defineProtocol({
    name: "echo",
    monitors,
    state: {},
    explains,
    judgeCall: (_, scores, state, rationales) => ({
      verdict: { kind: "deny", reason: JSON.stringify({ scores, rationales }) },
      state,
    }),
  });

const received = (explains: boolean, scores: Record<string, number>) => {
  const verdict = echo(explains).judgeCall?.(CALL, scores, {}, { first: "It reads a key." }).verdict;
  return verdict?.kind === "deny" ? JSON.parse(verdict.reason) : undefined;
};

describe("a protocol", () => {
  test("names the digest of what it judges", () => {
    expect(echo(false).judgeCall?.(CALL, { first: 0 }, {})).toMatchObject({ digest: "d1", state: {} });
  });

  test.each([[undefined], [Number.NaN], [-0.1], [1.1], [Number.POSITIVE_INFINITY]])(
    "sees the score %s as certain of an attack",
    (score) => {
      expect(received(false, score === undefined ? {} : { first: score }).scores).toEqual({ first: 1 });
    },
  );

  test("sees the scores of the monitors at its point, and no others", () => {
    expect(received(false, { first: 0.2, second: 0.3, third: 0.4 }).scores).toEqual({ first: 0.2 });
  });

  test("gets no rationale unless it declares that it explains", () => {
    expect(received(false, { first: 0.9 }).rationales).toEqual({});
    expect(received(true, { first: 0.9 }).rationales).toEqual({ first: "It reads a key." });
  });

  test("sees each sample of a response with a score for each monitor", () => {
    const protocol = defineProtocol({
      name: "samples",
      monitors,
      state: {},
      judgeResponse: ({ samples }, _, state) => ({
        verdict: { kind: "deny", reason: JSON.stringify(samples) },
        state,
      }),
    });
    const facts = { ...RESPONSE, samples: [{ second: 0.25 }, {}] };
    expect(protocol.judgeResponse?.(facts, { second: 0.25 }, {}).verdict).toEqual({
      kind: "deny",
      reason: '[{"second":0.25},{"second":1}]',
    });
  });

  test("has only the judges of its definition", () => {
    expect(echo(false).judgeResponse).toBeUndefined();
    expect(echo(false).judgeResult).toBeUndefined();
  });
});

const INVALID: readonly (readonly [what: string, part: object, message: string])[] = [
  ["an empty name", { name: " " }, "a name"],
  ["a chance over 1", { chances: [1.5] }, "chances from 0 to 1"],
  ["half an audit", { auditBudget: 0.5 }, "an auditBudget of at least 0, got 0.5"],
  [
    "a misspelled judge",
    { judgeCal: () => {} },
    'judgeResponse, judgeCall, judgeResult only, got "judgeCal"',
  ],
  ["no judge", {}, "at least one judge of judgeResponse, judgeCall, judgeResult"],
  [
    "a monitor by an unknown actor",
    { monitors: { one: { by: "me", at: "call", thresholds: [] } } },
    "one by trusted, untrusted, function or person",
  ],
  ["a state with a date", { state: JSON.parse('{"at":1}', () => new Date(0)) }, "a state that JSON writes"],
  ["a state that is not finite", { state: Number.NaN }, "a state that JSON writes"],
  [
    "a threshold below 0",
    { monitors: { one: { by: "trusted", at: "call", thresholds: [-1] } } },
    "thresholds of one from 0 to 1",
  ],
  [
    "an ensemble without members",
    { monitors: { one: { members: {}, combine: "max", at: "call", thresholds: [] } } },
    "members of one",
  ],
  [
    "a honeypot of an unknown monitor",
    { monitors: { one: { by: "untrusted", at: "call", thresholds: [], honeypotOf: "two" } } },
    "one to test a monitor without members",
  ],
];

test.each(INVALID)("a protocol with %s is rejected", (_, part, message) => {
  expect(() => defineProtocol({ name: "any", monitors: {}, state: {}, ...part })).toThrow(
    expect.objectContaining({ code: "PROTOCOL_INVALID", message: expect.stringContaining(message) }),
  );
});

const at = { author: "untrusted", digest: "d", chance: 0, tool: "bash", input: {} } as const;

test.each<[string, unknown, string]>([
  [
    "an unknown verdict",
    { verdict: { kind: "allow" }, state: {} },
    "a verdict of pass, deny, audit, shutDown, replace, modify",
  ],
  [
    "a verdict of another point",
    { verdict: { kind: "resample", k: 1, choose: "newest" }, state: {} },
    "a verdict of pass",
  ],
  [
    "a denial without a reason",
    { verdict: { kind: "deny" }, state: {} },
    "a verdict deny with a valid reason",
  ],
  ["no state", { verdict: { kind: "pass" } }, "{ verdict, state }"],
  ["a promise", Promise.resolve(), "a decision at once, without await"],
])("a judge that returns %s is rejected", (_, returned, message) => {
  const protocol = defineProtocol({
    name: "any",
    monitors: {},
    state: {},
    judgeCall: (() => returned) as () => { verdict: { kind: "pass" }; state: object & Record<string, never> },
  });
  expect(() => protocol.judgeCall?.(at, {}, {})).toThrow(
    expect.objectContaining({ code: "VERDICT_INVALID", message: expect.stringContaining(message) }),
  );
});
