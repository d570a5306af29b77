import { describe, expect, test } from "vitest";
import { recordDecisions } from "../../../cli/control/recorder.ts";
import { deferToResample } from "../../../control/protocols/defer-to-resample.ts";
import { trustedMonitoring } from "../../../control/protocols/trusted-monitoring.ts";

const call = { author: "untrusted", digest: "d1", chance: 0, tool: "execute_command", input: {} } as const;

describe("a recorded protocol", () => {
  test("decides as the protocol does, and records each decision in order", () => {
    const plain = trustedMonitoring({ threshold: 0.5, auditBudget: 1 });
    const { protocol, decisions } = recordDecisions(plain);
    for (const trusted of [0.2, 0.9]) {
      const decided = plain.judgeCall?.(call, { trusted }, plain.state);
      expect(protocol.judgeCall?.(call, { trusted }, plain.state)).toEqual(decided);
    }
    const given = { point: "call", author: "untrusted", digest: "d1" };
    expect(decisions).toEqual([
      { ...given, scores: { trusted: 0.2 }, verdict: "pass" },
      { ...given, scores: { trusted: 0.9 }, verdict: "audit" },
    ]);
  });

  test("records the scores that the protocol sees: a missing one is 1", () => {
    const { protocol, decisions } = recordDecisions(trustedMonitoring({ threshold: 0.5, auditBudget: 0 }));
    protocol.judgeCall?.(call, { other: 0.3 }, protocol.state);
    expect(decisions[0]?.scores).toEqual({ trusted: 1 });
  });

  test("judges at the points of the protocol only", () => {
    const { protocol, decisions } = recordDecisions(deferToResample({ threshold: 0.5 }));
    expect([protocol.judgeCall, protocol.judgeResult]).toEqual([undefined, undefined]);
    const response = { author: "untrusted", digest: "d2", chance: 0, text: "", calls: [] } as const;
    protocol.judgeResponse?.({ ...response, samples: [{ trusted: 0.7 }] }, { trusted: 0.7 }, protocol.state);
    expect(decisions).toEqual([
      { point: "response", author: "untrusted", digest: "d2", scores: { trusted: 0.7 }, verdict: "resample" },
    ]);
  });
});
