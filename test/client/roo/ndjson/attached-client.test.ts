import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { type ExtensionClient, JsonEventEmitter } from "../../../../client/index.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { createMockClient } from "../../../../testing/index.ts";
import { jsonEventSchema } from "../../../../wire/index.ts";

test("the events of an ExtensionClient are the events of a task: deltas, messages, command output, and the result last", async () => {
  const stdout = new PassThrough();
  const emitter = new JsonEventEmitter({ mode: "stream-json", stdout });
  const { client } = createMockClient();
  emitter.attachToClient(client);
  const rows: ClineMessage[] = [{ ts: 1, type: "say", say: "text", text: "Go" }];
  const push = (): void =>
    client.handleMessage({ type: "state", state: { taskId: "t", clineMessages: [...rows] } });
  const update = (row: ClineMessage): void => {
    rows.splice(-1, 1, row);
    client.handleMessage({ type: "messageUpdated", taskId: "t", clineMessage: row });
  };
  push();
  rows.push({ ts: 2, type: "say", say: "text", text: "I be", partial: true });
  push();
  update({ ts: 2, type: "say", say: "text", text: "I begin", partial: true });
  update({ ts: 2, type: "say", say: "text", text: "I begin.", partial: false });
  rows.push({ ts: 3, type: "ask", ask: "command", text: "make" });
  push();
  client.handleMessage({
    type: "commandExecutionStatus",
    taskId: "t",
    askId: 3,
    status: "output",
    output: "ok\n",
  });
  rows.push({ ts: 4, type: "say", say: "command_output", text: "ok\n", exitCode: 0 });
  rows.push({ ts: 5, type: "say", say: "completion_result", text: "Done." });
  rows.push({ ts: 6, type: "ask", ask: "completion_result", text: "" });
  push();
  const events = String(stdout.read())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => jsonEventSchema.parse(JSON.parse(line)));
  expect(
    events.map(({ type, id, content, tool_use, tool_result, done }) => [
      type,
      id,
      content ?? tool_use?.input ?? tool_result?.output,
      done === true,
    ]),
  ).toEqual([
    ["system", undefined, "Task started", false],
    ["user", 1, "Go", true],
    ["assistant", 2, "I be", false],
    ["assistant", 2, "gin", false],
    ["assistant", 2, "I begin.", true],
    ["tool_use", 3, { command: "make" }, true],
    ["tool_result", 3, "ok\n", false],
    ["tool_result", 3, undefined, true],
    ["result", 6, "Done.", true],
  ]);
});

type Source = Parameters<JsonEventEmitter["attachToClient"]>[0];

describe("the result of an ExtensionClient", () => {
  const completed = (
    rows: readonly ClineMessage[],
    sourceOf: (client: ExtensionClient) => Source = (client) => client,
  ) => {
    const stdout = new PassThrough();
    const { client } = createMockClient();
    new JsonEventEmitter({ mode: "stream-json", stdout }).attachToClient(sourceOf(client));
    for (const clineMessages of rows.map((_, index) => rows.slice(0, index + 1)))
      client.handleMessage({ type: "state", state: { taskId: "t", clineMessages } });
    return String(stdout.read())
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => jsonEventSchema.parse(JSON.parse(line)))
      .filter(({ type }) => type === "result")
      .map(({ content }) => content);
  };
  const prompt: ClineMessage = { ts: 1, type: "say", say: "text", text: "Go" };
  const ask = (ts: number, text: string): ClineMessage => ({
    ts,
    type: "ask",
    ask: "completion_result",
    text,
  });
  const result = (ts: number, text: string): ClineMessage => ({
    ts,
    type: "say",
    say: "completion_result",
    text,
  });

  test("belongs to the present completion: its own text, else the text before it", () => {
    expect(completed([prompt, result(2, "Said."), ask(3, "Asked.")])).toEqual(["Asked."]);
    expect(completed([prompt, result(2, "Said."), ask(3, "")])).toEqual(["Said."]);
  });

  test("forgets the text of the one before", () => {
    const feedback: ClineMessage = { ts: 4, type: "say", say: "user_feedback", text: "Again" };
    const next = [feedback, ask(5, "")];
    expect(completed([prompt, result(2, "Said."), ask(3, ""), ...next])).toEqual(["Said.", undefined]);
    expect(completed([prompt, ask(3, "Asked."), ...next])).toEqual(["Asked.", undefined]);
    const withoutLog = (client: ExtensionClient): Source => ({
      on: (name, listener) => client.on(name, listener),
      getAgentState: () => client.getAgentState(),
    });
    expect(completed([prompt, ask(3, "Asked."), ...next], withoutLog)).toEqual(["Asked.", undefined]);
  });

  test("has the text that one push completes together with its ask", () => {
    const stdout = new PassThrough();
    const { client } = createMockClient();
    new JsonEventEmitter({ mode: "stream-json", stdout }).attachToClient(client);
    const push = (...rows: readonly ClineMessage[]): void =>
      client.handleMessage({ type: "state", state: { taskId: "t", clineMessages: [prompt, ...rows] } });
    push({ ...result(2, "Sa"), partial: true });
    push(result(2, "Said."), ask(3, ""));
    const line = String(stdout.read()).trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(line)).toMatchObject({ type: "result", id: 3, content: "Said." });
  });
});
