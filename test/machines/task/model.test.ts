import { describe, expect, it } from "vitest";
import type { ModelRef } from "../../../machines/task/task.events.ts";
import { Scenario } from "../../support/scenario.ts";

const opus: ModelRef = {
  provider: "anthropic",
  id: "claude-opus-4-8",
  endpoint: "https://api.anthropic.com",
};
const CHANGES: readonly (readonly [string, ModelRef, string])[] = [
  ["model", { ...opus, id: "claude-haiku-4-5" }, "claude-haiku-4-5 (anthropic, https://api.anthropic.com)"],
  ["provider", { ...opus, provider: "proxy" }, "claude-opus-4-8 (proxy, https://api.anthropic.com)"],
  ["endpoint", { ...opus, endpoint: "http://[::1]:8" }, "claude-opus-4-8 (anthropic, http://[::1]:8)"],
  ["endpoint to none", { provider: "anthropic", id: opus.id }, "claude-opus-4-8 (anthropic)"],
];

const changes = ({ run }: Scenario): string[] =>
  run.view.context.log.toArray().flatMap(({ text }) => (text?.startsWith("The model") ? [text] : []));
const recorded = ({ run }: Scenario): ModelRef | undefined => run.view.recorded.facts.model;

/** An interrupted task, reopened with this model and resumed. */
const resumed = (model: ModelRef | undefined, first: ModelRef | undefined = opus) =>
  new Scenario(first && { model: first }).begun().says("a").crashes({}, { model }).answers("yes");

describe("a task records its model", () => {
  it("with its first message", () => {
    const scenario = new Scenario({ model: opus });
    scenario.send({ type: "task.start", text: "go", images: [] });
    expect(recorded(scenario)).toEqual(opus);
    expect(changes(scenario.send({ type: "task.opened" }))).toEqual([]);
  });

  it("with the next request, where its journal names none", () => {
    const scenario = resumed(opus, undefined);
    expect(recorded(scenario)).toEqual(opus);
    expect(changes(scenario)).toEqual([]);
  });

  it("unless its input names none", () => {
    expect(recorded(new Scenario().begun())).toBeUndefined();
    expect(recorded(resumed(undefined))).toEqual(opus);
  });
});

describe("a change of the model is a message before the request, and is recorded in its macrostep", () => {
  it.each(CHANGES)("the %s", (_, model, shown) => {
    const scenario = new Scenario({ model: opus }).begun().says("a").crashes({}, { model });
    expect(recorded(scenario)).toEqual(opus);
    expect(changes(scenario)).toEqual([]);
    scenario.answers("yes");
    expect(changes(scenario)).toEqual([
      `The model changed from claude-opus-4-8 (anthropic, https://api.anthropic.com) to ${shown}.`,
    ]);
    expect(scenario.messages.slice(-2)).toEqual(["say:error", "say:api_req_started"]);
    expect(recorded(scenario)).toEqual(model);
    expect(scenario.run.violations).toEqual([]);
  });

  it.each([
    [200_000, 100_000],
    [undefined, 100_000],
    [100_000, undefined],
  ])("but another window is recorded without a message: %s, then %s", (before, after) => {
    const withWindow = (contextWindow?: number) => ({ ...opus, ...(contextWindow && { contextWindow }) });
    const scenario = resumed(withWindow(after), withWindow(before));
    expect(changes(scenario)).toEqual([]);
    expect(recorded(scenario)).toStrictEqual(withWindow(after));
    expect(scenario.run.violations).toEqual([]);
  });

  it("once", () => {
    const model = { ...opus, id: "claude-haiku-4-5" };
    const scenario = resumed(model).prepared().says("b").crashes({}, { model }).answers("yes");
    expect(changes(scenario)).toHaveLength(1);
  });

  it("and the same model is not a change", () => {
    expect(changes(resumed({ ...opus }))).toEqual([]);
  });
});

describe("a message about a change of the model tells how much of the earlier responses is not sent", () => {
  const haiku = { ...opus, id: "claude-haiku-4-5" };
  const NAMED =
    "The model changed from claude-opus-4-8 (anthropic, https://api.anthropic.com) " +
    "to claude-haiku-4-5 (anthropic, https://api.anthropic.com).";
  const REASON =
    "of earlier responses that only their own model understands, such as thinking and server tools.";

  it.each([
    [0, NAMED],
    [1, `${NAMED} It does not get 1 block ${REASON}`],
    [2, `${NAMED} It does not get 2 blocks ${REASON}`],
  ])("%i blocks", (count, text) => {
    const scenario = new Scenario({ model: opus }).begun();
    for (let block = 0; block < count; block += 1) scenario.thinks("hm");
    scenario.says("Hm.").finishes("end_turn").prepared().crashes({}, { model: haiku }).answers("yes");
    expect(changes(scenario)).toEqual([text]);
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("a response in the conversation", () => {
  const response = (input: { model?: ModelRef }) =>
    new Scenario(input).begun().says("Hm.").finishes("end_turn").run.view.context.conversation.at(1);
  const content = [{ type: "text", text: "Hm." }];

  it("names its model without the endpoint", () => {
    const model = { provider: opus.provider, id: opus.id };
    expect(response({ model: opus })).toEqual({ role: "assistant", content, model });
  });

  it("names none where the task has none", () => {
    expect(response({})).toStrictEqual({ role: "assistant", content });
  });
});
