import { expect, test } from "vitest";
import { callLines, callQuestion, callTitle } from "../../present/call-text.ts";
import { parseCall } from "../../present/parse-call.ts";

const parsed = (descriptor: object) => parseCall({ ask: "tool", text: JSON.stringify(descriptor) });

const shown = (descriptor: object) => {
  const call = parsed(descriptor);
  return call && { title: callTitle(call), lines: callLines(call) };
};

test("a call that reads a skill is shown with the name of the skill only", () => {
  expect(shown({ tool: "skill", skill: "release", content: "x" })).toEqual({
    title: "Read the skill release",
    lines: [],
  });
});

test("a call that reads an artifact is shown with its id only", () => {
  expect(shown({ tool: "readArtifact", artifact: "toolu_1", content: "x" })).toEqual({
    title: "Read again the result of toolu_1",
    lines: [],
  });
});

test("a switch of the mode is shown with the mode and the reason", () => {
  expect(shown({ tool: "switchMode", mode: "code", reason: "The plan is agreed." })).toEqual({
    title: "Switch to mode code (The plan is agreed.)",
    lines: [],
  });
});

test("a call that starts a subtask is shown with its mode, its message and its plan", () => {
  expect(shown({ tool: "newTask", mode: "code", content: "Do it.\n", todos: "[ ] one" })).toEqual({
    title: "Start a subtask in mode code",
    lines: ["Do it.", "[ ] one"],
  });
});

test("a call that starts a subtask is shown with its name and with what the subtask is given", () => {
  const given = { profile: "fast", tools: "read", permissions: "at most mode ask, deny edit(a)" };
  const more = { budget: "3 requests, $0.5", result: '{"type":"object"}' };
  expect(
    shown({ tool: "newTask", name: "Docs", mode: "code", content: "Do it.", todos: "", ...given, ...more }),
  ).toEqual({
    title: "Start a subtask Docs in mode code",
    lines: [
      "model: fast",
      "tools: read",
      "permissions: at most mode ask, deny edit(a)",
      "budget: 3 requests, $0.5",
      'result: {"type":"object"}',
      "Do it.",
    ],
  });
});

test("a call about a background command is shown with its id", () => {
  expect(shown({ tool: "commandOutput", id: "1", pattern: "ready" })?.title).toBe(
    "Read the output of command 1",
  );
  expect(shown({ tool: "stopCommand", id: "1" })?.title).toBe("Terminate command 1");
});

test("a call that reads several files names each, with its lines", () => {
  const batchFiles = [{ path: "a.ts" }, { path: "b.ts", lineSnippet: "1-5" }];
  const call = parsed({ tool: "readFile", batchFiles });
  expect(call?.paths).toEqual(["a.ts", "b.ts"]);
  expect(call && callTitle(call)).toBe("Read 2 files");
  expect(call && callLines(call)).toEqual(["a.ts", "b.ts (1-5)"]);
});

test("an edit is shown with its diff, and the question about a new file has its number of lines", () => {
  const edit = { tool: "appliedDiff", path: "a.ts", diff: "@@ -1 +1 @@\n-a\n+b\n" };
  const diffStats = { added: 1, removed: 1 };
  expect(shown({ ...edit, diffStats })).toEqual({
    title: "Edit a.ts (+1 -1)",
    lines: ["@@ -1 +1 @@", "-a", "+b"],
  });
  const created = parsed({ tool: "newFileCreated", path: "a.ts", content: "one\ntwo\n" });
  expect(created && callQuestion(created)).toBe("Create a.ts (+2)");
  expect(created && callLines(created)).toEqual(["+one", "+two"]);
});

test("the user's changes of a new file are shown as a diff", () => {
  const diff = "@@ -1 +1 @@\n-a\n+b\n";
  expect(parsed({ tool: "newFileCreated", path: "a.ts", diff })?.content).toEqual({
    kind: "change",
    text: diff,
  });
});

test("the todo list of a plan is shown with the status of each item", () => {
  const todos = [
    { id: "1", content: "one", status: "completed" },
    { id: "2", content: "two", status: "in_progress" },
    { id: "3", content: "three", status: "pending" },
  ];
  expect(shown({ tool: "updateTodoList", todos })?.lines).toEqual(["[x] one", "[-] two", "[ ] three"]);
});

test("a command is a call with its command line", () => {
  expect(parseCall({ ask: "command", text: "npm test" })).toMatchObject({
    tool: "command",
    content: { kind: "command", command: "npm test" },
  });
});

test("a call of an unknown tool has its fields", () => {
  expect(parsed({ tool: "ring", bell: 2 })).toMatchObject({
    content: { kind: "fields", fields: { bell: 2 } },
  });
  expect(shown({ tool: "ring", bell: 2 })).toEqual({ title: "Tool ring", lines: [] });
});

test("a partial text, and one of another form, is not a call", () => {
  for (const text of [undefined, null, "", '{"tool":"read', "Ring the bell", "[]", "{}"])
    expect(parseCall({ ask: "tool", text: text ?? null })).toBeUndefined();
});
