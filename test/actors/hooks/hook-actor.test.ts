import { describe, expect, test } from "vitest";
import { z } from "zod";
import { hookActor } from "../../../actors/hooks/hook-actor.ts";
import { CallTracker } from "../../../actors/index.ts";
import { digestOf } from "../../../actors/review/digest.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { PersistentList } from "../../../machines/list/list.ts";
import type { ActorInputs } from "../../../machines/task/task.setup.ts";
import { methodsAt } from "../../../tools/hook.ts";
import { defineTool, type Hook, type HookDecision, type HookInput, type Tool } from "../../../tools/index.ts";
import { heldEdge, host, settle, TestClock } from "../protocol/host.ts";

const toolWorkspace = await openWorkspace(".");

const edit = defineTool({
  name: "edit",
  aliases: ["edit_it"],
  description: "Edits.",
  inputSchema: z.object({ path: z.string() }),
  effect: "writes",
  files: ({ path }) => [path],
  execute: () => "done",
});
const mcpTool: Tool = {
  ...defineTool({
    name: "mcp--docs--find",
    description: "Finds.",
    group: "mcp",
    inputSchema: z.object({}),
    effect: "executes",
    describe: () => ({ text: "", paths: [], mcp: { server: "docs", tool: "find" } }),
    execute: () => "found",
  }),
};

const call = (name: string, input: Record<string, unknown>): ActorInputs["hook"] => ({
  point: "beforeTool",
  callId: "c1",
  name,
  input,
  digest: digestOf(name, input),
  effect: "writes",
  mode: "code",
});
const editing = call("edit", { path: "a.txt" });

const ended = (kind: "done" | "failed"): ActorInputs["hook"] => ({
  point: "afterTool",
  callId: "c1",
  name: "edit",
  input: { path: "a.txt" },
  effect: "writes",
  outcome: { kind, content: [{ type: "text", text: "written" }] },
  mode: "code",
});

type Point = HookInput["point"];
const ALL: readonly Point[] = ["beforeRequest", "beforeTool", "afterTool", "afterWrite"];

const hook = (
  name: string,
  decide: (input: HookInput, signal: AbortSignal) => HookDecision | undefined | Promise<HookDecision>,
  { points = ALL, ...more }: Partial<Hook> & { readonly points?: readonly Point[] } = {},
): Hook => ({
  name,
  ...methodsAt(points, (input, { signal }) => decide(input, signal)),
  ...more,
});

type Environment = Parameters<typeof hookActor>[1];

const environmentOf = (hooks: readonly Hook[], more: Partial<Environment> = {}): Environment => ({
  hooks: { taskId: "t1", list: hooks },
  tools: [edit, mcpTool],
  workspace: toolWorkspace,
  stopped: new CallTracker({ clock: new TestClock() }),
  ...more,
});

/** Run the actor with an edge that has released it. */
async function decided(hooks: readonly Hook[], input = editing, more: Partial<Environment> = {}) {
  const { edge, release } = heldEdge();
  const { received } = host(hookActor(edge, environmentOf(hooks, more)), input);
  release();
  await settle();
  expect(received).toHaveLength(1);
  return received[0];
}

const allow = (name = "a") => hook(name, () => undefined);
const deny = (name: string, points = ALL) =>
  hook(name, () => ({ decision: "deny", reason: `${name} denies.` }), { points });
const ask = (name: string, points = ALL) =>
  hook(name, () => ({ decision: "ask", reason: `${name} asks.` }), { points });
const amend = (name: string, path = "b.txt", points = ALL) =>
  hook(name, () => ({ decision: "amend", arguments: { path } }), { points });

describe("The hook actor", () => {
  test("L11: runs no hook before it is released", async () => {
    const { edge, release } = heldEdge();
    let runs = 0;
    const environment = environmentOf([hook("a", () => void runs++)]);
    const { received } = host(hookActor(edge, environment), editing);
    await settle();
    expect([runs, received]).toEqual([0, []]);
    release();
    await settle();
    expect([runs, received.length]).toEqual([1, 1]);
  });

  test.each([
    ["allow", [allow("a"), allow("b")], { kind: "allow" }],
    ["amend over allow", [allow(), amend("b")], { kind: "amend", hook: "b", input: { path: "b.txt" } }],
    ["deny over ask", [ask("a"), deny("b")], { kind: "deny", hook: "b", reason: "b denies." }],
    ["ask over allow", [allow(), ask("b"), ask("c")], { kind: "ask", hook: "b", reason: "b asks." }],
    ["deny over amend", [amend("a"), deny("b")], { kind: "deny", hook: "b", reason: "b denies." }],
    [
      "ask over amend, and says so",
      [amend("a"), ask("b")],
      {
        kind: "ask",
        hook: "b",
        reason: 'b asks. The hook "a" would replace the arguments; they are not replaced.',
      },
    ],
    [
      "deny for two that amend, and names both",
      [amend("a"), amend("b", "c.txt")],
      {
        kind: "deny",
        hook: "b",
        reason: 'the hook "a" also amends the arguments: expected one.',
      },
    ],
  ])("merges decisions: %s", async (_, hooks, verdict) => {
    expect(await decided(hooks)).toMatchObject({ type: "call.hooked", callId: "c1", verdict });
  });

  test("runs the hooks in their order, and none after a denial", async () => {
    const ran: string[] = [];
    const seen = (name: string, decision: HookDecision) =>
      hook(name, async () => {
        ran.push(name);
        await Promise.resolve();
        ran.push(`${name} ended`);
        return decision;
      });
    const hooks = [seen("a", {}), seen("b", { decision: "deny" }), seen("c", {})];
    expect(await decided(hooks)).toMatchObject({ verdict: { kind: "deny", hook: "b" } });
    expect(ran).toEqual(["a", "a ended", "b", "b ended"]);
  });

  test("keeps the texts of all hooks that ran, also of those that deny", async () => {
    const hooks = [
      hook("a", () => ({ context: "From a." })),
      hook("b", () => ({ decision: "deny", context: "From b." })),
    ];
    expect(await decided(hooks)).toMatchObject({
      texts: [
        { hook: "a", text: "From a." },
        { hook: "b", text: "From b." },
      ],
    });
  });

  test.each<[string, Hook, string]>([
    [
      "throws",
      hook("a", () => {
        throw new Error("broken");
      }),
      "it did not decide, which denies: Error: broken",
    ],
    [
      "rejects",
      hook("a", () => Promise.reject(new Error("broken"))),
      "it did not decide, which denies: Error: broken",
    ],
    [
      "returns anything else",
      // A hook may be written in JavaScript.
      hook("a", (): HookDecision => JSON.parse('"yes"')),
      "it did not decide, which denies: expected a decision, received a string",
    ],
  ])("denies for a hook that %s", async (_, failing, reason) => {
    expect(await decided([failing, allow("b")])).toMatchObject({
      verdict: { kind: "deny", hook: "a", reason: expect.stringContaining(reason) },
    });
  });

  test("denies for a hook that exceeds its time, and aborts it", async () => {
    const clock = new TestClock();
    const { edge, release } = heldEdge(clock);
    let signal: AbortSignal | undefined;
    const hanging = hook("a", (_, given) => {
      signal = given;
      return new Promise<HookDecision>(() => undefined);
    });
    const environment = environmentOf([{ ...hanging, timeoutMs: 5_000 }]);
    const { received } = host(hookActor(edge, environment), editing);
    release();
    await settle();
    clock.moveTo(5_999);
    await settle();
    expect([received, signal?.aborted]).toEqual([[], false]);
    clock.moveTo(6_000);
    await settle();
    expect(received).toMatchObject([
      {
        verdict: {
          kind: "deny",
          hook: "a",
          reason: "it did not decide, which denies: expected a decision within 5000 ms, received none.",
        },
      },
    ]);
    expect(signal?.aborted).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test("L10: a stop aborts the running hook, and nothing is sent or started afterwards", async () => {
    const { edge, release } = heldEdge();
    const ran: string[] = [];
    const hanging = hook("a", (_, signal) => {
      ran.push("a");
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ decision: "deny" })));
    });
    const environment = environmentOf([hanging, hook("b", () => void ran.push("b"))]);
    const { received, stop } = host(hookActor(edge, environment), editing);
    release();
    await settle();
    stop();
    await settle();
    expect([ran, received]).toEqual([["a"], []]);
  });

  describe("after a hook that was stopped and still runs", () => {
    async function afterStop() {
      const clock = new TestClock();
      const { edge, release } = heldEdge(clock);
      const ran: string[] = [];
      let end: (decision: HookDecision) => void = () => undefined;
      const running = new Promise<HookDecision>((resolve) => {
        end = resolve;
      });
      const stopped = new CallTracker({ clock });
      const first = host(hookActor(edge, environmentOf([hook("a", () => running)], { stopped })), editing);
      release();
      await settle();
      first.stop();
      host(hookActor(edge, environmentOf([hook("b", () => void ran.push("b"))], { stopped })), editing);
      release();
      await settle();
      expect(ran).toEqual([]);
      return { clock, ran, stopped, end: () => end({}) };
    }

    test("L10: the next hook starts when it has ended", async () => {
      const { ran, end, clock } = await afterStop();
      end();
      await settle();
      expect([ran, clock.waiting]).toEqual([["b"], 0]);
    });

    test("the next hook starts after 5 seconds without its end, and later ones at once", async () => {
      const { ran, clock, stopped } = await afterStop();
      clock.moveTo(6_000);
      await settle();
      expect(ran).toEqual(["b"]);
      await stopped.quiesce();
      expect(clock.waiting).toBe(0);
    });
  });

  test("gives each hook its own copy of the final arguments", async () => {
    const seen: HookInput[] = [];
    const changing = hook("a", (input) => {
      if (input.point === "beforeTool") Object.assign(input.arguments, { path: "changed" });
      return undefined;
    });
    await decided([changing, hook("b", (input) => void seen.push(input))]);
    expect(seen).toEqual([
      {
        taskId: "t1",
        workspace: toolWorkspace.root,
        point: "beforeTool",
        mode: "code",
        callId: "c1",
        tool: "edit",
        effect: "writes",
        arguments: { path: "a.txt" },
        digest: digestOf("edit", { path: "a.txt" }),
      },
    ]);
    expect(editing).toMatchObject({ input: { path: "a.txt" } });
  });

  test("L7: denies a call whose tool differs from the reviewed tool", async () => {
    const reason = expect.stringContaining("expected the call that was reviewed, received another");
    expect(await decided([allow()], { ...editing, digest: "0" } as ActorInputs["hook"])).toMatchObject({
      verdict: { kind: "deny", hook: "a", reason },
    });
    expect(await decided([allow()], call("gone", {}))).toMatchObject({ verdict: { kind: "deny", reason } });
  });

  test.each([
    ["its name", "edit", ["edit"], 1],
    ["its name in another case", "edit", ["EDIT"], 1],
    ["an alias", "edit", ["edit_it"], 1],
    ["no other name", "edit", ["other", "mcp(docs/find)"], 0],
    ["the pattern of its server", "mcp--docs--find", ["mcp(docs/*)"], 1],
    ["no pattern of another server", "mcp--docs--find", ["mcp(other/*)"], 0],
  ])("runs a hook for the tools that it names: %s", async (_, name, tools, runs) => {
    let ran = 0;
    const input = name === "edit" ? editing : call(name, {});
    await decided([hook("a", () => void ran++, { tools })], input);
    expect(ran).toBe(runs);
  });
});

describe("The hook actor after a call", () => {
  const seeing = (seen: HookInput[], name: string, points: readonly Point[]) =>
    hook(name, (input) => void seen.push(input), { points });

  test("runs the hooks of afterTool, then of afterWrite with the paths", async () => {
    const seen: HookInput[] = [];
    const hooks = [seeing(seen, "w", ["afterWrite"]), seeing(seen, "t", ["afterTool", "beforeTool"])];
    expect(await decided(hooks, ended("done"))).toMatchObject({
      type: "result.hooked",
      callId: "c1",
      verdict: { kind: "allow" },
    });
    const result = { kind: "done", text: "written" };
    expect(seen).toMatchObject([
      { point: "afterTool", tool: "edit", result },
      { point: "afterWrite", tool: "edit", result, paths: ["a.txt"] },
    ]);
  });

  test("runs no hook of afterWrite where the call failed", async () => {
    const seen: HookInput[] = [];
    await decided([seeing(seen, "w", ["afterWrite"])], ended("failed"));
    expect(seen).toEqual([]);
  });

  test("a denial of afterTool ends the run before afterWrite", async () => {
    const seen: HookInput[] = [];
    const hooks = [seeing(seen, "w", ["afterWrite"]), deny("t", ["afterTool"])];
    expect(await decided(hooks, ended("done"))).toMatchObject({ verdict: { kind: "deny", hook: "t" } });
    expect(seen).toEqual([]);
  });

  const replace = (name: string, points: readonly Point[] = ["afterTool"]) =>
    hook(
      name,
      (input) => ({
        decision: "replace",
        result: `${name}(${input.point === "afterTool" ? input.result.text : ""})`,
      }),
      { points },
    );

  test("replaces a result by each hook in order, which sees what those before have made of it", async () => {
    const seen: HookInput[] = [];
    const hooks = [seeing(seen, "w", ["afterWrite"]), replace("a"), allow("b"), replace("c")];
    expect(await decided(hooks, ended("done"))).toMatchObject({
      verdict: { kind: "replace", hooks: ["a", "c"], text: "c(a(written))" },
    });
    expect(seen).toMatchObject([{ point: "afterWrite", result: { kind: "done", text: "c(a(written))" } }]);
  });

  test.each([
    ["a denial", deny("b", ["afterTool"]), { kind: "deny", hook: "b" }],
    ["an ask", ask("b", ["afterTool"]), { kind: "ask", hook: "b" }],
    ["an amendment", amend("b", "b.txt", ["afterTool"]), { kind: "amend", hook: "b" }],
  ])("%s comes before a replacement", async (_, after, verdict) => {
    expect(await decided([replace("a"), after], ended("done"))).toMatchObject({ verdict });
    expect(await decided([after, replace("a")], ended("done"))).toMatchObject({ verdict });
  });

  test("denies for a hook whose replacement is not a text", async () => {
    const broken = hook("b", () => JSON.parse('{ "decision": "replace", "result": ["x"] }'));
    expect(await decided([replace("a"), broken], ended("done"))).toMatchObject({
      verdict: { kind: "deny", hook: "b", reason: expect.stringContaining("it did not decide") },
    });
  });

  test.each([
    ["beforeTool", editing],
    ["afterWrite", ended("done")],
  ] as const)("denies for a hook that replaces at %s", async (point, input) => {
    const reason = `it did not decide, which denies: expected the decision replace at afterTool only, received it at ${point}.`;
    expect(await decided([replace("a", [point])], input)).toMatchObject({
      verdict: { kind: "deny", hook: "a", reason },
    });
  });

  test("shows at most 250 KB of a result", async () => {
    const seen: HookInput[] = [];
    const long = { type: "text" as const, text: "x".repeat(300_000) };
    const input = { ...ended("failed"), outcome: { kind: "failed", content: [long] } };
    await decided([seeing(seen, "t", ["afterTool"])], input as ActorInputs["hook"]);
    const [only] = seen;
    expect(only?.point === "afterTool" && only.result.text.length).toBeLessThan(250_100);
    expect(only?.point === "afterTool" && only.result.text).toContain("bytes cut");
  });
});

describe("The hook actor before a request", () => {
  test("shows the texts of the newest user entry, and of its results", async () => {
    const seen: HookInput[] = [];
    const entries: readonly Entry[] = [
      { role: "user", content: [{ type: "text", text: "old" }] },
      { role: "assistant", content: [{ type: "text", text: "no" }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "u", content: [{ type: "text", text: "result" }] },
          { type: "text", text: "new" },
        ],
      },
    ];
    const input: ActorInputs["hook"] = {
      point: "beforeRequest",
      requestId: 7,
      conversation: PersistentList.from(entries),
      mode: "ask",
    };
    // Tools are of calls only.
    const hooks = [hook("a", (given) => void seen.push(given), { tools: ["edit"] }), deny("b")];
    expect(await decided(hooks, input)).toMatchObject({
      type: "request.hooked",
      requestId: 7,
      verdict: { kind: "deny", hook: "b" },
    });
    expect(seen).toEqual([
      {
        taskId: "t1",
        workspace: toolWorkspace.root,
        point: "beforeRequest",
        mode: "ask",
        text: "result\nnew",
      },
    ]);
  });
});
