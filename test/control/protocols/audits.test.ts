import { expect, test } from "vitest";
import { randomAudit } from "../../../control/protocols/random-audit.ts";
import { shippedProtocols } from "../../../control/protocols/shipped.ts";
import { upfrontAudit } from "../../../control/protocols/upfront-audit.ts";
import { CALL, RESPONSE, verdictsOn } from "./run.ts";

test("random audit audits by the drawn number alone, while the budget lasts", () => {
  const chances = [0.1, 0.09, 0.09].map((chance) => ({ chance, ignored: 1 }));
  expect(verdictsOn(randomAudit({ rate: 0.1, auditBudget: 1 }), chances)).toEqual(["pass", "audit", "pass"]);
});

test("upfront audit audits the first calls, or all without a budget", () => {
  expect(verdictsOn(upfrontAudit({ auditBudget: 2 }), [{}, {}, {}])).toEqual(["audit", "audit", "pass"]);
  expect(verdictsOn(upfrontAudit(), [{}, {}, {}])).toEqual(["audit", "audit", "audit"]);
});

const shipped = shippedProtocols({ threshold: 0.5, auditBudget: 1 });

test("the shipped protocols have names of their own, and none explains", () => {
  expect(new Set(shipped.map(({ name }) => name)).size).toBe(12);
  expect(shipped.filter(({ explains }) => explains)).toEqual([]);
});

test.each(shipped.map((protocol) => [protocol.name, protocol] as const))(
  "%s gives equal decisions for equal arguments, and a state that JSON reads back",
  (_, { state, judgeCall, judgeResponse }) => {
    const response = { ...RESPONSE, samples: [{ trusted: 0.9 }] };
    const decide = () => [judgeCall?.(CALL, {}, state), judgeResponse?.(response, {}, state)];
    const before = structuredClone(state);
    const decisions = decide();
    expect(decide()).toEqual(decisions);
    expect(state).toEqual(before);
    for (const decision of decisions)
      if (decision) expect(JSON.parse(JSON.stringify(decision.state))).toEqual(decision.state);
  },
);
