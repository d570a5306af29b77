import { describe, expect, it } from "vitest";
import type { AssistantBlock } from "../../../machines/conversation/entry.ts";
import { Scenario } from "../../support/scenario.ts";
import { read, write } from "../../support/scenarios/setups.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };
const requestOf = ({ run }: Scenario): number => run.view.context.request ?? -1;
const callIds = ({ run }: Scenario): string[] => run.view.context.turn.calls.map(({ callId }) => callId);
const texts = ({ run }: Scenario): unknown[] => run.view.context.log.toArray().map(({ text }) => text);
const opaque = (scenario: Scenario, text: string): Scenario =>
  scenario.send({
    type: "llm.opaque",
    requestId: requestOf(scenario),
    index: scenario.run.view.context.turn.blocks.length,
    text,
  });

describe("a block that is not interpreted", () => {
  it("is a message of its own, at its place between the texts", () => {
    const scenario = opaque(new Scenario().begun().says("I search."), "web_search").says("Found.");
    expect(scenario.messages.slice(-3)).toEqual(["say:text", "say:opaque", "say:text P"]);
    expect(texts(scenario).slice(-3)).toEqual(["I search.", "web_search", "Found."]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("waits for a call before it", () => {
    const scenario = opaque(new Scenario().begun().callsBeforeReview(read), "web_search");
    expect(texts(scenario)).not.toContain("web_search");
    expect(texts(scenario.reviewed(read))).toContain("web_search");
    expect(scenario.run.violations).toEqual([]);
  });
});

it("text that still grows stays partial when a read before it ends (L3)", () => {
  const scenario = new Scenario().begun().calls(read).says("Then").toolEnds("one");
  expect(scenario.messages.at(-1)).toBe("say:text P");
  expect(scenario.run.violations).toEqual([]);
});

it("a call under review is shown as soon as the calls before it are reviewed (L3)", () => {
  const scenario = new Scenario().begun().callsBeforeReview(read).callsBeforeReview(write);
  const [callId = ""] = callIds(scenario);
  const verdict = { kind: "allow", rule: "any" } as const;
  const review = {
    valid: true,
    digest: "d",
    revision: 0,
    effect: "reads",
    replayable: false,
    text: "",
    verdict,
  } as const;
  scenario.send({ type: "call.reviewed", callId, review });
  expect(scenario.messages.at(-1)).toBe("ask:tool P");
  expect(scenario.run.view.context.log.at(-1)).toMatchObject({ callId: callIds(scenario)[1] });
  expect(scenario.run.violations).toEqual([]);
});

describe("a response is added to the conversation (L6)", () => {
  const thinking: AssistantBlock = { type: "thinking", thinking: "Hm.", signature: "s" };
  const redacted: AssistantBlock = { type: "redacted_thinking", data: "d" };
  const text: AssistantBlock = { type: "text", text: "So." };

  it.each<[string, readonly AssistantBlock[], number]>([
    ["unless it is empty", [], 0],
    ["unless it has thinking alone", [thinking], 0],
    ["unless it has redacted thinking alone", [thinking, redacted], 0],
    ["with its thinking", [thinking, redacted, text], 1],
  ])("%s", (_name, content, count) => {
    const scenario = new Scenario().begun();
    const requestId = requestOf(scenario);
    scenario.send({ type: "llm.finished", requestId, stopReason: "end_turn", content, usage: USAGE });
    const responses = scenario.run.view.context.conversation
      .toArray()
      .filter(({ role }) => role === "assistant");
    expect(responses).toHaveLength(count);
    for (const response of responses) expect(response.content).toEqual(content);
    expect(scenario.run.violations).toEqual([]);
  });
});

it("a cancelled response keeps its texts, without what is shown of its calls (L6)", () => {
  const scenario = new Scenario().begun().says("I see. ");
  scenario.startsCall(write);
  scenario.previews('{"path":"a"}').says("Then").cancelled();
  expect(scenario.run.view.context.conversation.at(1)).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "I see. Then" }],
  });
  expect(scenario.run.violations).toEqual([]);
});
