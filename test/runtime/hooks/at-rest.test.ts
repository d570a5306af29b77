import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { memoryJournal } from "../../../store/index.ts";
import { type HookInput, ToolError } from "../../../tools/index.ts";
import { hookAt, hookRig, run } from "../../support/hooks.ts";
import { DONE, messagesOf } from "../../support/host.ts";
import { deferred } from "../../support/model.ts";
import { Crash } from "../../support/subtasks.ts";

describe("A hook of onRest", () => {
  test("gets the ask and the result each time the task settles, and appends nothing", async () => {
    const seen: HookInput[] = [];
    const first = deferred();
    const hook = hookAt("onRest", (input) => {
      seen.push(input);
      first.resolve();
      return undefined;
    });
    await using rig = await hookRig([hook], { script: `[${DONE}, { text: Again. }]` });
    await run(rig);
    await first.promise;
    await rig.task.run("More");
    await rig.host.closeAll();
    const task = { taskId: rig.task.id, workspace: rig.task.workspace, point: "onRest" };
    expect(seen).toEqual([
      { ...task, ask: "completion", result: "Done." },
      { ...task, ask: "completion", result: "Again." },
    ]);
    expect(messagesOf(rig.task)).not.toContain("say:hook");
  });

  test("is not run by the opening of a task, which was at rest before", async () => {
    await using rig = await hookRig([], { script: `[${DONE}]` });
    await run(rig);
    await rig.task.flushed();
    let runs = 0;
    const copy = await new Crash(rig).open({ hooks: [hookAt("onRest", () => void runs++)] });
    await copy.task.flushed();
    await copy[Symbol.asyncDispose]();
    expect(runs).toBe(0);
  });

  test("is awaited when the task is closed, also where the close is what settles it", async () => {
    const order: string[] = [];
    const journal = memoryJournal();
    const closed = deferred();
    const hook = hookAt("onRest", async ({ ask }) => {
      order.push(`started ${ask}`);
      // What does not await the hook goes on when the journal is closed.
      await closed.promise;
      await setImmediate();
      order.push("ended");
      return undefined;
    });
    await using rig = await hookRig([hook], {
      journal: () => ({ ...journal, close: () => journal.close().finally(closed.resolve) }),
      script: "[{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }]",
    });
    run(rig).catch(() => undefined);
    await rig.ask("question");
    await rig.task.close();
    expect(order).toEqual(["started resume", "ended"]);
  });

  test("that fails or decides is an error of the host, and the others run", async () => {
    let runs = 0;
    const hooks = [
      hookAt(
        "onRest",
        () => {
          throw new Error("down");
        },
        { name: "a" },
      ),
      hookAt("onRest", () => ({ decision: "deny" }), { name: "b" }),
      hookAt("onRest", () => void runs++, { name: "c" }),
    ];
    await using rig = await hookRig(hooks, { script: `[${DONE}]`, mayReportErrors: true });
    await run(rig);
    await rig.task.close();
    expect(rig.errors).toMatchObject([
      { code: "HOOK_FAILED", message: 'The hook "a" at onRest failed: down' },
      {
        code: "HOOK_FAILED",
        message: 'The hook "b" at onRest failed: expected no decision at onRest, received deny.',
      },
    ]);
    expect(runs).toBe(1);
  });

  test("that hangs ends at its time limit", async () => {
    const hook = hookAt("onRest", () => new Promise(() => undefined), { timeoutMs: 20 });
    await using rig = await hookRig([hook], { script: `[${DONE}]`, mayReportErrors: true });
    await run(rig);
    await rig.task.close();
    expect(rig.errors).toMatchObject([{ code: "HOOK_FAILED", cause: expect.any(ToolError) }]);
  });

  test("runs for the newest rest only, where the task has settled several times in the meantime", async () => {
    const seen: (string | undefined)[] = [];
    const first = deferred();
    const go = deferred();
    const hook = hookAt("onRest", async ({ result }) => {
      seen.push(result);
      first.resolve();
      await go.promise;
      return undefined;
    });
    await using rig = await hookRig([hook], { script: `[${DONE}, { text: Two. }, { text: Three. }]` });
    await run(rig);
    await first.promise;
    await rig.task.run("More");
    await rig.task.run("And more");
    go.resolve();
    await rig.task.close();
    expect(seen).toEqual(["Done.", "Three."]);
  });
});
