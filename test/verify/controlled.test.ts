import { describe, expect, it } from "vitest";
import { defineProtocol, type Protocol } from "../../control/protocol.ts";
import { randomAudit } from "../../control/protocols/random-audit.ts";
import { trustedEditing } from "../../control/protocols/trusted-editing.ts";
import { trustedOnly } from "../../control/protocols/trusted-only.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { auditLaw, controlled, EXPLORED_PROTOCOL } from "../../verify/controlled.ts";
import { ALL_LAWS, createCase, explore } from "../../verify/index.ts";
import { explorationUnder } from "../support/explored-protocol.ts";
import { started } from "./laws/commit-parts.ts";
import { stepOf } from "./laws/step.ts";

/** It audits each suspicious call, and counts none. */
const uncounted = defineProtocol({
  name: "uncounted",
  monitors: { monitor: { by: "function", at: "call", thresholds: [0.5] } },
  state: {},
  auditBudget: 1,
  judgeCall: (_, { monitor }, state) => ({
    verdict: { kind: monitor > 0.5 ? "audit" : "pass" },
    state,
  }),
});

const audited = (verdict: string) =>
  stepOf({
    emitted: [
      started("tool:c1"),
      {
        type: "control.judged",
        record: { point: "call", author: "untrusted", digest: "d", verdict, scores: {} },
      },
    ],
  });

describe("the law of audits", () => {
  it("does not exist for a protocol without a budget", () => {
    expect(auditLaw(trustedEditing({ threshold: 0.5 }))).toBeUndefined();
  });

  it("counts the audits of a run, and no other verdict", () => {
    const start = auditLaw(uncounted)?.start;
    const first = start?.after(audited("audit"));
    expect(first).toMatchObject({ memory: { key: "1" }, violation: undefined });
    const passed = first?.memory.after(audited("pass"));
    expect(passed).toMatchObject({ memory: { key: "1" }, violation: undefined });
    expect(passed?.memory.after(audited("audit")).violation).toBe(
      'the protocol "uncounted" audits 2 times: expected at most 1',
    );
  });

  it("finds a protocol that audits over its budget, with the shortest path", () => {
    const law = auditLaw(uncounted);
    const { violations } = explore({
      machine: taskMachine,
      laws: [],
      pathLaws: law === undefined ? [] : [law],
      interference: false,
      ...controlled(createCase({ turns: 2, tools: ["write"] }), uncounted),
    });
    expect(violations[0]).toMatchObject({
      law: "CONTROL",
      what: 'the protocol "uncounted" audits 2 times: expected at most 1',
    });
    const types = violations[0]?.path.map(({ type }) => type) ?? [];
    expect(types.filter((type) => type === "call.hooked")).toHaveLength(2);
    expect(types.at(-1)).toBe("call.hooked");
  });
});

describe("the input of a controlled task", () => {
  it("has the state of the protocol and the points at which it judges", () => {
    const inputOf = (protocol: Protocol) => controlled({ input: {} }, protocol).input;
    expect(inputOf(EXPLORED_PROTOCOL)).toEqual({
      control: { protocol: "each verdict", state: { audits: 0 }, points: ["response", "call", "result"] },
    });
    expect(inputOf(uncounted)).toMatchObject({ control: { points: ["call"] } });
  });
});

describe("exploration of a controlled task with a budget", () => {
  it("spends the cost of verdicts from the budget (BUDGET)", () => {
    const one = createCase({ turns: "any", tools: ["write"], interruptions: "any" });
    const budget = { from: "user", grant: { requests: 2, cost: 0.025 } } as const;
    const { complete, violations } = explore({
      machine: taskMachine,
      laws: ALL_LAWS,
      ...controlled({ ...one, input: { ...one.input, budget } }, uncounted),
    });
    expect(violations).toEqual([]);
    expect(complete).toBe(true);
  });
});

describe("exploration of a task that a shipped protocol controls", () => {
  const protocols: readonly Protocol[] = [
    trustedOnly(),
    randomAudit({ rate: 0.1, auditBudget: 1 }),
    trustedEditing({ threshold: 0.5 }),
  ];

  it.each(protocols)("holds every law in every state: $name", (protocol) => {
    const { complete, violations } = explorationUnder(protocol);
    expect(violations).toEqual([]);
    expect(complete).toBe(true);
  });
});
