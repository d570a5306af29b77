import { describe, expect, it } from "vitest";
import { contextExceeded, cutAtLimit, noToolUsed } from "../../../machines/conversation/notices.ts";
import type { StopReason } from "../../../machines/task/task.events.ts";
import { Scenario } from "../../support/scenario.ts";
import { read } from "../../support/scenarios/setups.ts";

const CUT = "The response was cut at the end of the context window (model_context_window_exceeded).";

const errors = ({ run }: Scenario): unknown[] =>
  run.view.context.log
    .toArray()
    .flatMap(({ type, say, text }) => (type === "say" && say === "error" ? [text] : []));
const pending = ({ run }: Scenario): unknown[] => [...run.view.context.pending];
const notice = (text: string) => ({ type: "text", text });

describe("a response without a tool call", () => {
  it.each<[StopReason, string, readonly string[]]>([
    ["model_context_window_exceeded", contextExceeded(), [CUT]],
    ["max_tokens", cutAtLimit(), []],
    ["end_turn", noToolUsed("tool"), []],
  ])("that ends with %s gets its notice for the model", (stopReason, text, shown) => {
    const scenario = new Scenario().begun().says("Then I").finishes(stopReason);
    expect(pending(scenario)).toEqual([notice(text)]);
    expect(errors(scenario)).toEqual(shown);
    expect(scenario.run.violations).toEqual([]);
  });
});

it("a response cut at the end of the context window with tool calls is shown as cut, and its calls run", () => {
  const scenario = new Scenario().begun().calls(read).finishes("model_context_window_exceeded").toolEnds();
  expect(errors(scenario)).toEqual([CUT]);
  expect(pending(scenario)).toEqual([]);
  expect(scenario.state).toBe("streaming.preparing");
  expect(scenario.run.violations).toEqual([]);
});

describe("the ask at a limit names the limit and its type", () => {
  /** A response of this cost, without a call. */
  const costs = (scenario: Scenario, cost: number | null): Scenario =>
    scenario.send({
      type: "llm.finished",
      requestId: scenario.run.view.context.request ?? -1,
      stopReason: "end_turn",
      content: [{ type: "text", text: "Hm." }],
      usage: { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost },
    });
  const asked = ({ run }: Scenario): unknown => {
    const last = run.view.context.log.at(-1);
    expect(last?.ask).toBe("auto_approval_max_req_reached");
    return JSON.parse(last?.text ?? "");
  };

  it("of cost", () => {
    const scenario = costs(new Scenario({ limits: { cost: 0.5 } }).begun(), 0.5);
    expect(asked(scenario)).toEqual({ count: 0.5, type: "cost" });
  });

  it("of cost, with the reason where the cost is unknown", () => {
    const scenario = costs(new Scenario({ limits: { cost: 0.5 } }).begun(), null);
    expect(asked(scenario)).toEqual({
      count: 0.5,
      type: "cost",
      reason: "The cost of a request is unknown: there is no price for its model.",
    });
  });

  it("of requests, also where the cost is unknown and has no limit", () => {
    const scenario = costs(new Scenario({ limits: { requests: 1 } }).begun(), null);
    expect(asked(scenario)).toEqual({ count: 1, type: "requests" });
  });

  it.each([
    [null, 0.1],
    [0.1, null],
  ])("of cost: after requests of %s and %s US dollars it is unknown, in the total too", (first, second) => {
    const scenario = costs(costs(new Scenario().begun(), first).prepared(), second);
    expect(scenario.run.view.context.counters.cost).toBeNull();
    expect(scenario.run.view.context.total.cost).toBeNull();
  });
});
