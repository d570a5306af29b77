import { expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { noToolUsed } from "../../machines/conversation/notices.ts";
import { DONE, messagesOf, openRig, textsOf } from "../support/host.ts";

const CONVERSATION = "[{ text: One. }, { text: Two. }, { text: Three. }]";

test("a response without a tool call completes the task with its text, and `run` continues the conversation", async () => {
  await using rig = await openRig({ script: CONVERSATION });
  const { task } = rig;
  expect(await task.run("Count")).toMatchObject({ state: "idle", ask: "completion", result: "One." });
  expect(await task.run("Go on")).toMatchObject({ result: "Two." });
  (await rig.ask("completion")).approve();
  expect(await task.run("And on")).toMatchObject({ result: "Three." });
  expect(messagesOf(task)).toEqual([
    "say:text",
    "say:api_req_started",
    "say:text",
    "ask:completion_result (answered)",
    "say:user_feedback",
    "say:api_req_started",
    "say:text",
    "ask:completion_result (answered)",
    "say:user_feedback",
    "say:api_req_started",
    "say:text",
    "ask:completion_result",
  ]);
  const last = rig.sent().at(-1) ?? [];
  expect(last.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect(textsOf(last)).toEqual(["<user_message>\nAnd on\n</user_message>"]);
});

test("the tool list and the system prompt follow the option", async () => {
  const body = async (completion: "end_turn" | "tool") => {
    await using rig = await openRig({ script: `[${DONE}]`, completion });
    await rig.task.run("Do it");
    return JSON.stringify(rig.mock?.requests[0]?.body);
  };
  expect(await body("end_turn")).not.toContain("attempt_completion");
  expect(await body("end_turn")).toContain("A response without a tool call ends the task");
  expect(await body("tool")).toContain('"name":"attempt_completion"');
  expect(await body("tool")).not.toContain("A response without a tool call ends the task");
});

test("with `tool`, the model gets a notice after a response without a tool call", async () => {
  await using rig = await openRig({ script: `[{ text: One. }, ${DONE}]`, completion: "tool" });
  expect(await rig.task.run("Do it")).toMatchObject({ result: "Done." });
  expect(textsOf(rig.sent()[1] ?? [])).toEqual([noToolUsed("tool")]);
});

test("a task that was completed by its text is completed after it is opened again, and continues with a reply", async () => {
  await using rig = await openRig({ script: CONVERSATION });
  await rig.task.run("Count");
  await rig.task.close();
  const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
  const task = await rig.host.open(rig.task.id, { model });
  expect(task.state.currentAsk).toBe("resume_completed_task");
  expect(await task.run("Go on")).toMatchObject({ result: "Two." });
});

test("a subtask completes with the tool", async () => {
  const delegate = "{ tool: new_task, input: { mode: code, message: Count } }";
  const rules = [
    `{ when: { user: automatic notice }, turns: [${DONE}] }`,
    "{ when: { user: Count }, turns: [{ text: Almost. }] }",
    `{ turns: [${delegate}, { text: It is counted. }] }`,
  ];
  await using rig = await openRig({ script: `rules: [${rules.join(", ")}]` });
  rig.host.opened$.subscribe((task) =>
    task.asks$.subscribe((ask) => {
      if (ask.kind === "completion") ask.approve();
    }),
  );
  const end = rig.task.run("Delegate");
  (await rig.ask("tool")).approve();
  expect(await end).toMatchObject({ result: "It is counted." });
  expect(textsOf(rig.sent()[2] ?? [])).toEqual([noToolUsed("tool")]);
});
