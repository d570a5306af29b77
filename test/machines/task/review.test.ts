import { describe, expect, it } from "vitest";
import { toolError } from "../../../machines/conversation/notices.ts";
import { Scenario } from "../../support/scenario.ts";
import { completion, question, write } from "../../support/scenarios/setups.ts";

describe("the review of a tool call", () => {
  it("gets the call's id, name and complete arguments", () => {
    const { run } = new Scenario().begun().callsBeforeReview(write);
    const [call] = run.view.context.turn.calls;
    const review = run.actor.getSnapshot().children[`review:${call?.callId}`];
    expect(review?.getSnapshot().input).toEqual({
      callId: call?.callId,
      name: write.name,
      input: { of: write.name },
      mode: "code",
      permissions: { revision: 0, mode: "ask", rules: [] },
    });
  });

  it("shows the path that .rooignore denies as rooignore_error; the model gets the error, which counts", () => {
    const scenario = new Scenario({ limits: { mistakes: 0 } })
      .begun()
      .callsBeforeReview(write)
      .invalid({ error: "blocked by .rooignore", ignored: "secret" })
      .finishes();
    const { log, turn, counters } = scenario.run.view.context;
    expect(log.toArray().findLast(({ say }) => say === "rooignore_error")).toMatchObject({ text: "secret" });
    expect(turn.calls).toMatchObject([
      { outcome: { kind: "invalid", content: [{ text: toolError("blocked by .rooignore") }] } },
    ]);
    expect(counters.mistakes).toBe(1);
    expect(scenario.run.violations).toEqual([]);
  });

  it.each([
    ["question", question, "waiting_for_input.answer"],
    ["completion", completion, "idle.completing"],
  ] as const)("leaves a %s to a person, also where the policy allows it", (_, call, state) => {
    const scenario = new Scenario()
      .begun()
      .calls({ ...call, verdict: "allow" })
      .finishes();
    expect(scenario.state).toBe(state);
    const [reviewed] = scenario.run.view.context.turn.calls;
    expect(reviewed).toMatchObject({ review: { effect: "asks", verdict: { kind: "ask" } } });
    expect(reviewed).not.toHaveProperty("decision");
  });
});
