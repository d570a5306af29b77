import { describe, expect, test } from "vitest";
import { deferToResample } from "../../../control/protocols/defer-to-resample.ts";
import { deferToTrusted } from "../../../control/protocols/defer-to-trusted.ts";
import { trustedEditing } from "../../../control/protocols/trusted-editing.ts";
import { trustedOnly } from "../../../control/protocols/trusted-only.ts";
import { CALL, RESPONSE, trustedScores } from "./run.ts";

test("defer to trusted runs the trusted model's call in place of each suspicious one", () => {
  const { judgeCall } = deferToTrusted({ threshold: 0.5 });
  expect(judgeCall?.(CALL, { trusted: 0.5 }, {}).verdict).toEqual({ kind: "pass" });
  expect(judgeCall?.(CALL, { trusted: 0.6 }, {}).verdict).toEqual({ kind: "replace", from: "scratch" });
});

test("trusted editing runs the trusted model's edit of each suspicious call", () => {
  const { judgeCall } = trustedEditing({ threshold: 0.5 });
  expect(judgeCall?.(CALL, { trusted: 0.5 }, {}).verdict).toEqual({ kind: "pass" });
  expect(judgeCall?.(CALL, { trusted: 0.6 }, {}).verdict).toEqual({ kind: "replace", from: "edit" });
});

test("trusted only runs no response of the untrusted model", () => {
  expect(trustedOnly().judgeResponse?.(RESPONSE, {}, {}).verdict).toEqual({
    kind: "replace",
    from: "scratch",
  });
});

describe("defer to resample", () => {
  /** The decision about the least suspicious of samples with these scores. */
  const decide = (
    order: "parallel" | "sequence",
    scores: readonly number[],
    audits = 0,
    auditThreshold = 0.8,
  ) =>
    deferToResample({ threshold: 0.5, resamples: 2, order, auditBudget: 1, auditThreshold }).judgeResponse?.(
      { ...RESPONSE, samples: trustedScores(...scores) },
      { trusted: Math.min(...scores) },
      { audits },
    );

  test("passes a response that is not suspicious", () => {
    expect(decide("parallel", [0.5])?.verdict).toEqual({ kind: "pass" });
  });

  test("samples all further responses at once in parallel, and only once", () => {
    expect(decide("parallel", [0.6])?.verdict).toEqual({ kind: "resample", k: 2, choose: "leastSuspicious" });
    expect(decide("parallel", [0.6, 0.7, 0.8])?.verdict).toEqual({ kind: "pass" });
  });

  test("samples one response after another in sequence, until one is not suspicious or all are used", () => {
    const again = { kind: "resample", k: 1, choose: "leastSuspicious" };
    expect(decide("sequence", [0.6])?.verdict).toEqual(again);
    expect(decide("sequence", [0.6, 0.7])?.verdict).toEqual(again);
    expect(decide("sequence", [0.6, 0.4])?.verdict).toEqual({ kind: "pass" });
    expect(decide("sequence", [0.6, 0.7, 0.6])?.verdict).toEqual({ kind: "pass" });
  });

  test.each(["parallel", "sequence"] as const)(
    "audits in %s by the greatest score of all samples, while the budget lasts",
    (order) => {
      expect(decide(order, [0.9, 0.1, 0.2])).toMatchObject({
        verdict: { kind: "audit" },
        state: { audits: 1 },
      });
      expect(decide(order, [0.9, 0.1, 0.2], 1)).toMatchObject({
        verdict: { kind: "pass" },
        state: { audits: 1 },
      });
      expect(decide(order, [0.8, 0.1, 0.2])?.verdict).toEqual({ kind: "pass" });
    },
  );
});
