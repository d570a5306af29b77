import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { subtaskOf } from "../../../tools/builtin/new-task.ts";
import {
  allowEverything,
  allowSubtasks,
  builtinTools,
  denyEverything,
  type PolicyFacts,
} from "../../../tools/index.ts";
import { runPorts } from "../../support/run-ports.ts";

const tool = builtinTools().find(({ name }) => name === "new_task");
if (tool === undefined) throw new Error("Expected a tool new_task.");
const completion = builtinTools().find(({ name }) => name === "attempt_completion");
if (completion === undefined) throw new Error("Expected a tool attempt_completion.");

const call = { mode: "ask", message: "Look." };

describe("new_task", () => {
  test("delegates, has a tool ask, and is not replayable (L12)", () => {
    expect(tool).toMatchObject({ effect: "delegates", ask: "tool", replayable: false, group: "always" });
  });

  test("is described with mode, message and todo list", async () => {
    const prepared = tool.prepare({ ...call, todos: "[ ] first" });
    if (!prepared.ok) throw new Error(prepared.error);
    const { text, paths } = await prepared.call.describe({ workspace: await openWorkspace(".") });
    expect(JSON.parse(text)).toEqual({ tool: "newTask", mode: "ask", content: "Look.", todos: "[ ] first" });
    expect(paths).toEqual([]);
  });

  test("has a partial text of at most 8 KB", () => {
    expect(tool.partial({ mode: "ask" })).toBeUndefined();
    expect(JSON.parse(tool.partial(call) ?? "")).toMatchObject({ tool: "newTask", content: "Look." });
    expect(Buffer.byteLength(tool.partial({ message: "x".repeat(100_000) }) ?? "")).toBeLessThanOrEqual(8192);
  });

  test.each([
    [{ mode: "ask" }, "message"],
    [{ ...call, message: "" }, "message"],
    [{ ...call, mode: "two words" }, "slug of a mode"],
    [{ ...call, todo: "[ ] x" }, "todo"],
  ])("rejects %j", (input, word) => {
    const prepared = tool.prepare(input);
    expect(prepared.ok ? "" : prepared.error).toContain(word);
  });

  test("never runs as a tool", async () => {
    const prepared = tool.prepare(call);
    if (!prepared.ok) throw new Error(prepared.error);
    await expect(prepared.call.execute(await runPorts())).rejects.toMatchObject({ code: "NOT_RUN" });
  });

  test("starts with its message and todo list", () => {
    expect(subtaskOf(call)).toEqual({ mode: "ask", prompt: "Look." });
    expect(subtaskOf({ ...call, todos: null })?.prompt).toBe("Look.");
    expect(subtaskOf({ ...call, todos: " " })?.prompt).toBe("Look.");
    expect(subtaskOf({ ...call, todos: "[ ] a" })?.prompt).toBe("Look.\n\nTodo list:\n[ ] a");
    expect(subtaskOf({ message: "Look." })).toBeUndefined();
  });
});

test("allowSubtasks allows new_task and the completion of a subtask, and asks otherwise", async () => {
  const facts: PolicyFacts = { workspace: "/w", description: { text: "", paths: [] } };
  const judge = async (of: typeof tool, more = {}, policy = allowSubtasks()) =>
    (await policy({ tool: of, input: {} }, { ...facts, ...more })).kind;
  expect(await judge(tool)).toBe("allow");
  expect(await judge(completion, { subtask: true })).toBe("allow");
  expect(await judge(completion)).toBe("ask");
  for (const other of builtinTools().filter(({ name }) => ![tool.name, completion.name].includes(name)))
    expect(await judge(other, { subtask: true })).toBe("ask");
  expect(await judge(completion, { subtask: true }, allowEverything())).toBe("allow");
  expect(await judge(tool, {}, denyEverything())).toBe("deny");
});
