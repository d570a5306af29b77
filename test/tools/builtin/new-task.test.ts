import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { IsolationKind } from "../../../ports/subtask-files.ts";
import { subtaskOf, withChoices } from "../../../tools/builtin/new-task.ts";
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

describe("the optional arguments of new_task", () => {
  const result = { type: "object", properties: { moons: { type: "integer" } }, required: ["moons"] };
  const given = {
    ...call,
    name: "Moons",
    profile: "fast",
    tools: ["read", "new_task"],
    permissions: { level: "ask", ask: ["edit(**)"], deny: ["command(git push *)"] },
    budget: { requests: 3, cost: 0.5 },
    result,
  };
  const profiles = ["default", "fast"];
  const [own] = withChoices([tool], { profiles, inBackground: false });
  const errorOf = (input: object, of = tool): string => {
    const prepared = of.prepare({ ...call, ...input });
    return prepared.ok ? "" : prepared.error;
  };

  test("are what the subtask is given; null is none", () => {
    expect(subtaskOf(given)).toEqual({
      mode: "ask",
      prompt: "Look.",
      name: "Moons",
      profile: "fast",
      restriction: {
        level: "ask",
        rules: [
          { level: "ask", rule: "edit(**)" },
          { level: "deny", rule: "command(git push *)" },
        ],
        tools: ["read", "new_task"],
      },
      resultSchema: result,
    });
    const none = { name: null, profile: null, tools: null, permissions: null, budget: null, result: null };
    expect(subtaskOf({ ...call, ...none })).toEqual({ mode: "ask", prompt: "Look." });
    expect(errorOf({ ...none, profile: undefined })).toContain("profile");
  });

  test("are shown to the person who is asked, and request a budget", async () => {
    const prepared = own?.prepare(given);
    if (prepared?.ok !== true) throw new Error(prepared?.error);
    expect(prepared.call.requestsBudget).toEqual({ requests: 3, cost: 0.5 });
    const { text } = await prepared.call.describe({ workspace: await openWorkspace(".") });
    expect(JSON.parse(text)).toMatchObject({
      name: "Moons",
      profile: "fast",
      tools: "read, new_task",
      permissions: "at most mode ask, ask edit(**), deny command(git push *)",
      budget: "3 requests, $0.5",
      result: JSON.stringify(result),
    });
  });

  test("name a profile only in a task that has several; an unknown one is refused with those that exist", () => {
    expect(Object.keys(Object(tool.inputSchema.properties))).not.toContain("profile");
    expect(JSON.stringify(own?.inputSchema)).toContain('"enum":["default","fast"]');
    expect(errorOf({ profile: "fast" })).toContain("unknown argument 'profile'");
    expect(errorOf({ profile: "wise" }, own)).toContain('expected one of "default", "fast"');
    expect(withChoices([tool], { profiles, inBackground: false })).toHaveLength(1);
    const tools = [tool, completion];
    const ofTwo = () => withChoices(tools, { profiles: ["a", "b"], inBackground: false });
    expect(ofTwo()).toBe(ofTwo());
    expect(withChoices(tools, { profiles: [], inBackground: false })).toBe(tools);
  });

  test("have isolation where it is configured, never less strict than that (law GRANT)", async () => {
    const ofKind = (isolation: IsolationKind | undefined) =>
      withChoices([tool], { profiles: [], inBackground: false, isolation })[0];
    const isolatesOf = (isolation: IsolationKind | undefined, input: object) => {
      const prepared = ofKind(isolation)?.prepare({ ...call, ...input });
      return prepared?.ok === true ? prepared.call.isolates : prepared?.error;
    };
    expect(ofKind("copy")?.inputSchema).toEqual(tool.inputSchema);
    expect(isolatesOf(undefined, {})).toBeUndefined();
    expect(isolatesOf("shared", {})).toBeUndefined();
    expect(isolatesOf("shared", { isolation: "copy" })).toBe("copy");
    expect(isolatesOf("worktree", {})).toBe("worktree");
    expect(isolatesOf("worktree", { isolation: "shared" })).toContain('expected one of "worktree", "copy"');
    for (const kind of ["copy", undefined] as const) {
      const error = isolatesOf(kind, { isolation: "worktree" });
      expect(error).toContain("unknown argument 'isolation'");
      expect(error).toMatch(/'isolation' is only for tasks with the setting isolation, at most worktree\.$/);
    }
    const prepared = ofKind("shared")?.prepare({ ...call, isolation: "copy" });
    if (prepared?.ok !== true) throw new Error(prepared?.error);
    const { text } = await prepared.call.describe({ workspace: await openWorkspace(".") });
    expect(JSON.parse(text)).toMatchObject({ isolation: "copy" });
  });

  test("have background, which a subtask in the background has, only in a task with the option", () => {
    const ofProfiles = (names: readonly string[]) =>
      withChoices([tool], { profiles: names, inBackground: true })[0];
    const [both, background] = [ofProfiles(profiles), ofProfiles([])];
    const prepared = both?.prepare({ ...given, background: true });
    if (prepared?.ok !== true) throw new Error(prepared?.error);
    expect(prepared.call).toMatchObject({ inBackground: true, requestsBudget: { requests: 3, cost: 0.5 } });
    for (const input of [{}, { background: false }, { background: null }]) {
      const waiting = background?.prepare({ ...call, ...input });
      expect(waiting?.ok === true && waiting.call.inBackground).toBe(undefined);
    }
    expect(errorOf({ background: true })).toContain("unknown argument 'background'");
    expect(errorOf({ background: true })).toMatch(/is only for tasks with the setting backgroundSubtasks\.$/);
    expect(errorOf({ background: true }, own)).toContain("unknown argument 'background'");
    expect(errorOf({ profile: "fast", background: true }, background)).toContain(
      "unknown argument 'profile'",
    );
    expect([tool, own].map((each) => each?.description.includes("background"))).toEqual([false, false]);
    expect([both, background].map((each) => each?.description.includes("background: true"))).toEqual([
      true,
      true,
    ]);
    expect(subtaskOf({ ...given, background: true })).toEqual(subtaskOf(given));
  });

  test.each([
    [{ name: "two\nlines" }, "a name in one line"],
    [{ name: "x".repeat(81) }, "at most 80"],
    [{ permissions: { allow: ["edit(**)"] } }, "unknown argument 'allow'"],
    [{ permissions: { deny: ["edit(**)", "all"] } }, "'permissions.deny.1': expected one of"],
    [{ permissions: { level: "root" } }, '"plan", "ask"'],
    [{ budget: { requests: 0 } }, "at least 1"],
    [{ budget: { tasks: 1 } }, "unknown argument 'tasks'"],
    [{ result: { type: "string" } }, 'a JSON Schema with type "object"'],
    [{ result: { type: "object", properties: { a: { type: "words" } } } }, "Unsupported type"],
    [{ result: { type: "object", description: "x".repeat(20_000) } }, "at most 20000 characters"],
    [
      { result: { type: "object", properties: { a: { type: "string", pattern: "a" } } } },
      "regular expressions",
    ],
    [{ result: { type: "object", patternProperties: { a: {} } } }, "regular expressions"],
  ])("are refused where they are invalid: %j", (input, error) => {
    expect(errorOf(input)).toContain(error);
    expect(errorOf(input)).not.toContain("expected expected");
  });

  test("take a result with properties of the names pattern and $ref", () => {
    const named = { pattern: { type: "string" }, $ref: { type: "string" } };
    expect(errorOf({ result: { type: "object", properties: named } })).toBe("");
  });

  test("refuse a result whose schema has references, so that checking it takes time linear in its length", () => {
    const levels = Array.from({ length: 30 }, (_, level) => [
      `d${level}`,
      { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
    ]);
    const $defs = { ...Object.fromEntries(levels), d30: { type: "string" } };
    const result = { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs };
    expect(errorOf({ result })).toContain("without references ($ref). Write each schema where it is used");
    for (const keyword of ["$dynamicRef", "$recursiveRef"])
      expect(errorOf({ result: { type: "object", properties: { a: { [keyword]: "#" } } } })).toContain(
        `references (${keyword})`,
      );
  });

  test("refuse a result whose schema is nested more than 100 deep", () => {
    let nested: unknown = {};
    for (let depth = 0; depth < 50_000; depth += 1) nested = [nested];
    expect(errorOf({ result: { type: "object", default: nested } })).toContain(
      "at most 100 nested objects and arrays",
    );
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
