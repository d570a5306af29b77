import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { BackgroundSubtaskState, BackgroundSubtasks } from "../../../ports/background-subtasks.ts";
import { builtinTools, type Tool } from "../../../tools/index.ts";
import { runPorts } from "../../support/run-ports.ts";

const toolOf = (name: string): Tool => {
  const tool = builtinTools().find((each) => each.name === name);
  if (tool === undefined) throw new Error(`Expected a tool ${name}.`);
  return tool;
};
const wait = toolOf("wait_for_subtasks");
const cancel = toolOf("cancel_subtask");
const message = toolOf("message_subtask");
const state = toolOf("subtask_state");

function prepared(tool: Tool, input: Readonly<Record<string, unknown>>) {
  const preparation = tool.prepare(input);
  if (!preparation.ok) throw new Error(preparation.error);
  return preparation.call;
}
const describedBy = async (tool: Tool, input: Readonly<Record<string, unknown>>) =>
  JSON.parse((await prepared(tool, input).describe({ workspace: await openWorkspace(".") })).text);

/** Runs a call in a task that has these subtasks in the background. */
async function run(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  backgroundSubtasks: BackgroundSubtasks | undefined,
): Promise<unknown> {
  const { content } = await prepared(tool, input).execute({ ...(await runPorts()), backgroundSubtasks });
  return content[0]?.type === "text" ? content[0].text : content;
}

const subtasks = (states: readonly BackgroundSubtaskState[], sent: string[] = []): BackgroundSubtasks => ({
  send: async (id, text) => {
    sent.push(`${id}: ${text}`);
  },
  states: async (id) => states.filter((each) => id === undefined || each.id === id),
});

test.each([
  [wait, "none"],
  [cancel, "none"],
  [message, "none"],
  [state, "reads"],
])("$name is a tool of every mode for tasks whose subtasks may work in the background", (tool, effect) => {
  expect(tool).toMatchObject({ group: "always", ask: "tool", effect, requires: "backgroundSubtasks" });
});

describe("wait_for_subtasks", () => {
  test.each([
    [{}, { kind: "wait", until: "all" }],
    [
      { ids: null, until: null },
      { kind: "wait", until: "all" },
    ],
    [
      { ids: ["t.1", "t.2"], until: "any" },
      { kind: "wait", until: "any", ids: ["t.1", "t.2"] },
    ],
  ])("orders a wait by the arguments %j", (input, expected) => {
    expect(prepared(wait, input).ordersSubtasks).toEqual(expected);
  });

  test.each([
    [{ ids: [] }, "'ids'"],
    [{ until: "some" }, '"any"'],
  ])("refuses the arguments %j with what is expected", (input, error) => {
    const preparation = wait.prepare(input);
    expect(preparation.ok ? "" : preparation.error).toContain(error);
  });

  test("is described by the subtasks that it waits for, and never runs", async () => {
    expect(await describedBy(wait, { ids: ["t.1", "t.2"] })).toEqual({
      tool: "waitForSubtasks",
      id: "t.1, t.2",
      until: "all",
    });
    expect(wait.partial({})).toBe('{"tool":"waitForSubtasks"}');
    await expect(run(wait, {}, subtasks([]))).rejects.toThrow("applied by the task");
  });
});

describe("cancel_subtask", () => {
  test("orders the cancel of a subtask, and never runs", async () => {
    expect(prepared(cancel, { id: "t.1" }).ordersSubtasks).toEqual({ kind: "cancel", id: "t.1" });
    expect(await describedBy(cancel, { id: "t.1" })).toEqual({ tool: "cancelSubtask", id: "t.1" });
    expect(cancel.partial({ id: "t" })).toBe('{"tool":"cancelSubtask","id":"t"}');
    expect(cancel.partial({})).toBeUndefined();
    await expect(run(cancel, { id: "t.1" }, subtasks([]))).rejects.toThrow("applied by the task");
  });
});

describe("message_subtask", () => {
  test("sends the message", async () => {
    const sent: string[] = [];
    const input = { id: "t.1", message: "Look at b." };
    expect(await run(message, input, subtasks([], sent))).toBe(
      "Subtask t.1 gets the message with its next request.",
    );
    expect(sent).toEqual(["t.1: Look at b."]);
    const expected = { tool: "messageSubtask", id: "t.1", content: "Look at b." };
    expect(await describedBy(message, input)).toEqual(expected);
    expect(message.partial({ id: "t.1" })).toBeUndefined();
  });

  test("is refused in a task whose subtasks never work in the background", async () => {
    await expect(run(message, { id: "t.1", message: "Look." }, undefined)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("subtask_state", () => {
  const states = [
    {
      id: "t.1",
      title: "Moons",
      state: "running: runs a tool",
      latest: "I count.",
      used: { tokens: 12, cost: 0.5 },
    },
    { id: "t.2", state: "running: is being opened" },
    { id: "t.3", state: "waiting", used: { tokens: 1, cost: null } },
  ];

  test("tells the state, the use and the newest text of each subtask", async () => {
    expect(await run(state, {}, subtasks(states))).toBe(
      "t.1 (Moons): running: runs a tool\nUsed: 12 tokens, $0.5000\nNewest text: I count.\n\n" +
        "t.2: running: is being opened\n\nt.3: waiting\nUsed: 1 tokens",
    );
    expect(await run(state, {}, subtasks([]))).toBe("No subtask is in the background.");
    expect(await describedBy(state, {})).toEqual({ tool: "subtaskState" });
    expect(state.partial({ id: "t" })).toBe('{"tool":"subtaskState"}');
  });

  test("tells the state of the one that is named", async () => {
    expect(await run(state, { id: "t.2" }, subtasks(states))).toBe("t.2: running: is being opened");
  });
});
