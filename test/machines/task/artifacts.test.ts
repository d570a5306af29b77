import { describe, expect, it } from "vitest";
import { withStubs } from "../../../machines/conversation/artifacts.ts";
import { estimateEntries, estimateTokens } from "../../../machines/conversation/tokens.ts";
import type { TaskInput } from "../../../machines/task/task.context.ts";
import { Scenario } from "../../support/scenario.ts";

const LONG = "x".repeat(3_000);
const ARTIFACTS = { artifactChars: 500, artifactTurns: 1 };
const model = { provider: "mock", id: "mock", contextWindow: 2_000 };

/** A task that has read something long, and then calls again, with as many tokens as the endpoint counts. */
const called = (limits: Partial<NonNullable<TaskInput["limits"]>>, tokensIn: number): Scenario =>
  new Scenario({ model, limits })
    .begun()
    .calls({ name: "read", effect: "reads", verdict: "allow" })
    .finishes("tool_use")
    .toolEnds(LONG)
    .prepared()
    .calls({ name: "read", effect: "reads", verdict: "allow" })
    .finishes("tool_use", { tokensIn, tokensOut: 5 });
const context = ({ run }: Scenario) => run.view.context;

describe("the tokens of a conversation with results that are sent as stubs", () => {
  it("exclude the tokens of a result that is too old for the next request", () => {
    const { conversation, contextTokens } = context(called(ARTIFACTS, 1_700));
    const [before, after] = [conversation, withStubs(conversation, ARTIFACTS)];
    const leftOut = estimateEntries(before, 2, 3) - estimateEntries(after, 2, 3);
    expect(leftOut).toBeGreaterThan(800);
    expect(contextTokens).toBe(1_705 - leftOut);
    expect(context(called({}, 1_700)).contextTokens).toBe(1_705);
    expect(context(called(ARTIFACTS, 1)).contextTokens).toBe(0);
  });

  it("cause no condensation by what is not sent", () => {
    expect(called({}, 1_700).toolEnds("ok").prepared().state).toBe("streaming.condensing");
    const scenario = called(ARTIFACTS, 1_700).toolEnds("ok").prepared();
    expect(scenario.state).toBe("streaming.receiving");
    expect(scenario.run.violations).toEqual([]);
  });

  it("are those that a condensation may keep", () => {
    const kept = (limits: Partial<NonNullable<TaskInput["limits"]>>): number => {
      const window = { ...model, contextWindow: 20_000 };
      const scenario = new Scenario({
        model: window,
        limits: { repetitions: 0, condenseKeeps: 0.1, ...limits },
      });
      scenario.begun();
      for (let turn = 0; turn < 8; turn += 1)
        scenario
          .calls({ name: "read", effect: "reads", verdict: "allow" })
          .finishes("tool_use")
          .toolEnds(LONG)
          .prepared();
      scenario.says("so").finishes("max_tokens").send({ type: "compact.requested", instructions: "" });
      scenario.prepared().condenses("short");
      expect(scenario.run.violations).toEqual([]);
      return context(scenario).conversation.length;
    };
    expect(kept({})).toBe(5);
    expect(kept(ARTIFACTS)).toBeGreaterThan(9);
  });

  it("are estimated of what is sent, for a task whose journal has no count", () => {
    const { conversation, log } = context(called(ARTIFACTS, 1));
    const reopened = { log, conversation, queue: [], facts: {}, calls: [], openedAt: 9_999 };
    const tokens = (limits: TaskInput["limits"]) =>
      context(new Scenario({ reopened, ...(limits && { limits }) })).contextTokens;
    expect(tokens(ARTIFACTS)).toBeLessThan(tokens({}) - 800);
    expect(tokens({})).toBe(
      conversation.toArray().reduce((sum, { content }) => sum + estimateTokens(content), 0),
    );
  });
});
