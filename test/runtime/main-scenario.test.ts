import { expect, test } from "vitest";
import { messagesOf, openRig, resultsOf, textsOf } from "../support/host.ts";

const script = `
turns:
  - - thinking: I look first.
    - text: I read the file.
    - { tool: read_file, input: { path: a.txt } }
  - - text: Now I write.
    - { tool: write_to_file, input: { path: b/c.txt, content: "hi\\n" } }
    - { tool: execute_command, input: { command: "cat b/c.txt" } }
  - { tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }, { text: right }] } }
  - { tool: attempt_completion, input: { result: All done. } }
`;

test("a task whose asks a person approves reads, writes, runs a command, asks a question and completes", async () => {
  await using rig = await openRig({ script, files: { "a.txt": "hello\n" } });
  const { task } = rig;
  const asked: string[] = [];
  task.asks$.subscribe((ask) => {
    asked.push(ask.kind);
    if (ask.kind === "tool" || ask.kind === "command") ask.approve();
    if (ask.kind === "question") ask.answer(ask.suggestions[1]?.answer ?? "");
  });

  const end = await task.run("Do it");

  expect(end).toMatchObject({ state: "idle", ask: "completion", result: "All done." });
  expect(asked).toEqual(["tool", "command", "command_output", "question", "completion"]);
  expect(await rig.file("b/c.txt")).toBe("hi\n");
  expect(messagesOf(task)).toMatchInlineSnapshot(`
    [
      "say:text",
      "say:api_req_started",
      "say:reasoning",
      "say:text",
      "ask:tool (answered)",
      "say:tool",
      "say:api_req_started",
      "say:text",
      "ask:tool (answered)",
      "say:tool",
      "ask:command (answered)",
      "ask:command_output (ended)",
      "say:command_output",
      "say:api_req_started",
      "ask:followup (answered)",
      "say:user_feedback",
      "say:api_req_started",
      "say:completion_result",
      "ask:completion_result",
    ]
  `);
  const [first, second, third, fourth] = rig.sent();
  expect(textsOf(first ?? [])).toEqual(["<user_message>\nDo it\n</user_message>"]);
  expect(resultsOf(second ?? [])).toEqual([expect.stringContaining("hello")]);
  expect(resultsOf(third ?? [])).toEqual([
    expect.stringContaining("b/c.txt"),
    expect.stringContaining("hi\n"),
  ]);
  expect(resultsOf(fourth ?? [])).toEqual(["<user_message>\nright\n</user_message>"]);
  expect(rig.sent()).toHaveLength(4);
});
