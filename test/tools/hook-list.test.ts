import { describe, expect, test } from "vitest";
import { assertHooks, type Hook, machinePoints } from "../../tools/index.ts";

const hook = (more: object): Hook => ({ name: "a", points: ["beforeTool"], run: () => undefined, ...more });

describe("The hooks of a task", () => {
  test.each([
    ["a name", { name: "" }, "expected 1 to 100 printable characters"],
    ["a name without line breaks", { name: "a\nb" }, "expected 1 to 100 printable characters"],
    ["points", { points: [] }, "points: expected at least one of beforeRequest, beforeTool, "],
    ["known points", { points: ["before"] }, "points: expected at least one of "],
    ["a time", { timeoutMs: 0 }, "timeoutMs: expected 1 to "],
    ["a function", { run: "no" }, "run: expected a function"],
    ["tools", { tools: ["a b"] }, "tools: expected the name of a tool, or mcp(SERVER/TOOL)"],
    ["patterns of tools", { tools: ["mcp(a)"] }, "tools: expected the name of a tool, or mcp(SERVER/TOOL)"],
  ])("have %s", (_, wrong, message) => {
    expect(() => assertHooks([hook({ name: "b" }), hook(wrong)])).toThrow(
      expect.objectContaining({ code: "bad_hook", message: expect.stringContaining(message) }),
    );
  });

  test("have names of their own", () => {
    expect(() => assertHooks([hook({}), hook({})])).toThrow("expected a unique name");
    assertHooks([hook({}), hook({ name: "b", tools: ["read_file", "mcp(docs/*)"], timeoutMs: 1 })]);
  });

  test("are started by the machine at each point once, but at rest", () => {
    const points = (...lists: readonly Hook["points"][]) =>
      machinePoints(lists.map((each) => hook({ points: each })));
    expect(points(["onRest"])).toEqual([]);
    expect(points(["afterWrite", "onRest"], ["beforeTool"], ["beforeTool"])).toEqual([
      "beforeTool",
      "afterWrite",
    ]);
  });
});
