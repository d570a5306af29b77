import { describe, expect, test } from "vitest";
import { z } from "zod";
import { builtinTools, byRules, defineTool } from "../../../tools/index.ts";
import {
  denyingWrites,
  hookAt,
  hookMessages,
  hookRig,
  lastResults,
  run,
  WRITES,
  written,
} from "../../support/hooks.ts";
import { DONE, textsOf } from "../../support/host.ts";
import { deferred } from "../../support/model.ts";

describe("A hook of beforeTool", () => {
  test("that allows: the call runs, and its text goes with the next request", async () => {
    const hook = hookAt("beforeTool", ({ tool }) => (tool === "write_to_file" ? { context: "Mind." } : {}));
    await using rig = await hookRig([hook]);
    expect((await run(rig)).result).toBe("Done.");
    expect(await written(rig)).toBe("x");
    expect(textsOf(rig.sent()[1] ?? []).join()).toContain("Hook: beforeTool\nMind.");
    expect(hookMessages(rig)).toEqual(["beforeTool: Mind."]);
  });

  test("that denies: the call does not run, and the model and the user get hook and reason", async () => {
    await using rig = await hookRig([denyingWrites()]);
    expect((await run(rig)).result).toBe("Done.");
    expect(await written(rig)).toBe("(none)");
    expect(lastResults(rig)).toContain('write_to_file: denied by the hook "beforeTool": not today.');
    expect(hookMessages(rig)).toEqual(['write_to_file: denied by the hook "beforeTool": not today.']);
  });

  test("that fails: the call does not run", async () => {
    const hook = hookAt("beforeTool", () => Promise.reject(new Error("down")), WRITES);
    await using rig = await hookRig([hook]);
    await run(rig);
    expect(await written(rig)).toBe("(none)");
    expect(lastResults(rig)).toContain("it did not decide, which denies: Error: down");
  });

  test("that asks: a person is asked even under bypass, and reads why", async () => {
    const hook = hookAt("beforeTool", () => ({ decision: "ask", reason: "it is Friday." }), WRITES);
    await using rig = await hookRig([hook], {
      policy: byRules({ sources: [] }),
      permissions: { level: "bypass" },
    });
    const end = run(rig);
    const ask = await rig.ask("tool");
    expect(ask.reason).toBe('the hook "beforeTool" asks: it is Friday.');
    expect(await written(rig)).toBe("(none)");
    ask.approve();
    expect((await end).result).toBe("Done.");
    expect(await written(rig)).toBe("x");
  });

  test("that asks where a rule asks: a person reads both reasons", async () => {
    const hook = hookAt("beforeTool", () => ({ decision: "ask", reason: "it is Friday." }), WRITES);
    const source = { origin: "settings.yaml", ask: ["tool(write_to_file)"] };
    await using rig = await hookRig([hook], { policy: byRules({ sources: [source] }) });
    const end = run(rig);
    const ask = await rig.ask("tool");
    expect(ask.reason).toBe(
      "the hook \"beforeTool\" asks: it is Friday; also, tool(write_to_file) in settings.yaml matches write_to_file on 'a.txt'",
    );
    ask.approve();
    expect((await end).result).toBe("Done.");
  });

  test("that amends: the new arguments are shown, run, and recorded with the decision (L7)", async () => {
    const seen: unknown[] = [];
    const hook = hookAt(
      "beforeTool",
      (input) => {
        seen.push(input.arguments);
        return seen.length === 1 ? { decision: "amend", arguments: { path: "b.txt", content: "y" } } : {};
      },
      WRITES,
    );
    await using rig = await hookRig([hook], { policy: byRules({ sources: [] }) });
    const end = run(rig);
    const ask = await rig.ask("tool");
    expect(ask.proposal).toMatchObject({ kind: "file", path: "b.txt", after: "y" });
    ask.approve();
    expect((await end).result).toBe("Done.");
    expect(seen).toEqual([
      { path: "a.txt", content: "x" },
      { path: "b.txt", content: "y" },
    ]);
    expect([await written(rig), await written(rig, "b.txt")]).toEqual(["(none)", "y"]);
    const decisions = rig.shown.flatMap(({ commit }) => commit.decisions);
    expect(decisions.find(({ input }) => input !== undefined)?.input).toEqual({
      path: "b.txt",
      content: "y",
    });
    expect(hookMessages(rig)[0]).toContain("The arguments of write_to_file were replaced: ");
    expect(textsOf(rig.sent()[1] ?? []).join()).toContain("The arguments of write_to_file were replaced: ");
  });

  test.each([
    ["a denied path", { path: "secret.txt", content: "x" }, "secret.txt"],
    [
      "a path outside of the workspace (L9)",
      { path: "../out.txt", content: "x" },
      "is outside the workspace",
    ],
    ["arguments that the tool does not take", { file: "a" }, "The arguments of write_to_file are invalid"],
  ])("that amends to %s: the call does not run", async (_, input, message) => {
    const hook = hookAt("beforeTool", () => ({ decision: "amend", arguments: input }), WRITES);
    const policy = byRules({
      sources: [{ origin: "own", allow: ["edit(**)"], deny: ["edit(secret.txt)"] }],
    });
    await using rig = await hookRig([hook], { policy });
    await run(rig);
    expect(lastResults(rig)).toContain(message);
    expect([await written(rig), await written(rig, "secret.txt")]).toEqual(["(none)", "(none)"]);
  });

  test("that amends its own amendment: the call is denied", async () => {
    let runs = 0;
    const hook = hookAt(
      "beforeTool",
      () => {
        runs += 1;
        return { decision: "amend", arguments: { path: `${runs}.txt`, content: "x" } };
      },
      WRITES,
    );
    await using rig = await hookRig([hook]);
    await run(rig);
    expect([runs, await written(rig, "1.txt"), await written(rig, "2.txt")]).toEqual([2, "(none)", "(none)"]);
    expect(lastResults(rig)).toContain("the arguments were changed before.");
  });

  test("sees the arguments as a person amended them, and its denial holds", async () => {
    const hook = hookAt("beforeTool", ({ arguments: { content } }) =>
      content === "secret" ? { decision: "deny", reason: "a secret." } : {},
    );
    await using rig = await hookRig([hook], { policy: byRules({ sources: [] }) });
    const end = run(rig);
    (await rig.ask("tool")).approve({ amendment: { content: "secret" } });
    expect((await end).result).toBe("Done.");
    expect(await written(rig)).toBe("(none)");
    expect(lastResults(rig)).toContain('denied by the hook "beforeTool": a secret.');
  });

  test("runs at the turn of its call: after the end of the call before it", async () => {
    const order: string[] = [];
    const note = defineTool({
      name: "note",
      description: "Notes.",
      inputSchema: z.object({ key: z.string() }),
      effect: "reads",
      execute: ({ key }) => {
        order.push(`run ${key}`);
        return key;
      },
    });
    const hooks = (["beforeTool", "afterTool"] as const).map((point) =>
      hookAt(point, (input) => void order.push(`${point} ${String(input.arguments.key)}`), {
        tools: ["note"],
      }),
    );
    const notes = ["1", "2"].map((key) => JSON.stringify({ tool: "note", input: { key } }));
    await using rig = await hookRig(hooks, {
      script: `[[${notes.join()}], ${DONE}]`,
      tools: [...builtinTools(), note],
    });
    expect((await run(rig)).result).toBe("Done.");
    expect(order).toEqual(
      ["1", "2"].flatMap((key) => [`beforeTool ${key}`, `run ${key}`, `afterTool ${key}`]),
    );
  });

  test("L10: a cancel while it runs aborts it, and the call never runs", async () => {
    const started = deferred();
    let aborted = false;
    const hook = hookAt("beforeTool", (_, signal) => {
      started.resolve();
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          resolve({ decision: "allow" });
        });
      });
    });
    await using rig = await hookRig([hook]);
    const end = run(rig);
    await started.promise;
    rig.task.cancel();
    expect(await end).toMatchObject({ state: "resumable", ask: "resume" });
    expect(aborted).toBe(true);
    expect(await written(rig)).toBe("(none)");
  });
});
