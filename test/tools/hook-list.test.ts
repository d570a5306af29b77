import { describe, expect, test } from "vitest";
import { type Hook, type HookInput, machinePoints, methodsAt } from "../../tools/hook.ts";
import { assertHooks } from "../../tools/hook-list.ts";

const hook = (more: object): Hook => ({ name: "a", beforeTool: () => undefined, ...more });

describe("The hooks of a task", () => {
  test.each([
    ["a name", { name: "" }, "expected 1 to 100 printable characters"],
    ["a name without line breaks", { name: "a\nb" }, "expected 1 to 100 printable characters"],
    [
      "a method",
      { beforeTool: undefined },
      "expected a method for at least one of beforeRequest, beforeTool, ",
    ],
    ["methods of known points", { before: () => undefined }, "expected no member before: the methods are "],
    ["a time", { timeoutMs: 0 }, "timeoutMs: expected 1 to "],
    ["functions", { onRest: "no" }, "onRest: expected a function"],
    ["tools", { tools: ["a b"] }, "tools: expected the name of a tool, or mcp(SERVER/TOOL)"],
    ["patterns of tools", { tools: ["mcp(a)"] }, "tools: expected the name of a tool, or mcp(SERVER/TOOL)"],
  ])("have %s", (_, wrong, message) => {
    expect(() => assertHooks([hook({ name: "b" }), hook(wrong)])).toThrow(
      expect.objectContaining({ code: "HOOK_INVALID", message: expect.stringContaining(message) }),
    );
  });

  test("have names of their own", () => {
    expect(() => assertHooks([hook({}), hook({})])).toThrow("expected a unique name");
    assertHooks([hook({}), hook({ name: "b", tools: ["read_file", "mcp(docs/*)"], timeoutMs: 1 })]);
  });

  test("are started by the machine at each point once, but at rest", () => {
    const points = (...lists: readonly (readonly HookInput["point"][])[]) =>
      machinePoints(lists.map((each) => ({ name: "a", ...methodsAt(each, () => undefined) })));
    expect(points(["onRest"])).toEqual([]);
    expect(points(["afterWrite", "onRest"], ["beforeTool"], ["beforeTool"])).toEqual([
      "beforeTool",
      "afterWrite",
    ]);
  });
});
