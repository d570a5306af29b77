import { describe, expect, test } from "vitest";
import { mentioningTexts } from "../../../machines/task/mentions.ts";
import { Scenario } from "../../support/scenario.ts";
import { read, write } from "../../support/scenarios/setups.ts";

const ATTACHED = [{ type: "text", text: "<file_content/>" }] as const;

const begun = (text: string): Scenario =>
  new Scenario().send({ type: "task.start", text, images: [] }).send({ type: "task.opened" });

/** Texts of the user that the next request resolves mentions in. */
const said = ({ run }: Scenario): readonly string[] =>
  mentioningTexts(run.view.context).map(({ origin, text }) => `${origin}: ${text}`);

const requestOf = ({ run }: Scenario): number => run.view.context.request ?? 0;

const ready = (scenario: Scenario): Scenario =>
  scenario.send({
    type: "context.ready",
    requestId: requestOf(scenario),
    environment: "<environment/>",
    ends: [],
    attached: ATTACHED,
  });

describe("the texts in which mentions are resolved", () => {
  test("are the prompt, queued messages and answers with an `@`, until a request is built", () => {
    const scenario = begun("See @a");
    expect(said(scenario)).toEqual(["prompt: See @a"]);
    scenario.prepared();
    expect(said(scenario)).toEqual([]);
    scenario.calls(write).finishes().answers("no", "Not @b");
    expect(said(scenario)).toEqual(["feedback: Not @b"]);
    expect(scenario.run.violations).toEqual([]);
  });

  test("are not the answers of a policy", () => {
    const scenario = begun("Go").prepared().calls(write).finishes();
    const askId = scenario.run.view.context.ask?.id ?? 0;
    scenario.send({ type: "ask.expired", askId, answer: { kind: "no", text: "Not @b" }, rule: "deadline" });
    expect(scenario.state).toBe("streaming.preparing");
    expect(said(scenario)).toEqual([]);
  });

  test("are not those without an `@`, of the model or of tools", () => {
    const scenario = begun("Go")
      .prepared()
      .says("I read @a")
      .calls({ ...read, verdict: "allow" })
      .finishes();
    expect(said(scenario)).toEqual([]);
    expect(scenario.run.view.context.mentions).toEqual([]);
  });

  test("stay when the context of the request fails, and when the task is cancelled or its process crashes before (L11)", () => {
    const scenario = begun("See @a");
    scenario.send({ type: "context.failed", requestId: requestOf(scenario), message: "no" });
    scenario.answers("yes");
    expect(said(scenario)).toEqual(["prompt: See @a"]);
    scenario.crashes();
    expect(said(scenario)).toEqual(["prompt: See @a"]);
    scenario.answers("text", "And @b").cancelled();
    expect(said(scenario)).toEqual(["prompt: See @a", "feedback: And @b"]);
    expect(scenario.run.violations).toEqual([]);
  });
});

test("attachments stand between the user's texts and the environment, also with tool results (L6)", () => {
  const scenario = ready(begun("See @a"));
  const texts = () =>
    scenario.run.view.context.conversation.at(-1)?.content.map((block) => {
      return block.type === "text" ? block.text : block.type;
    });
  expect(texts()).toEqual(["<user_message>\nSee @a\n</user_message>", "<file_content/>", "<environment/>"]);
  ready(scenario.calls(write).finishes().answers("no", "Not @b"));
  expect(texts()).toEqual(["tool_result", "<file_content/>", "<environment/>"]);
  expect(scenario.run.violations).toEqual([]);
});
