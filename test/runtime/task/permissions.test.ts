import { describe, expect, test } from "vitest";
import { allowTodoList, askAPerson, byRules, firstOf } from "../../../tools/index.ts";
import { openRig, type RigOptions } from "../../support/host.ts";

const WRITE = "{ tool: write_to_file, input: { path: src/a.txt, content: x } }";
const script = `[${WRITE}, { text: Done. }]`;
const approval = async (options: Partial<RigOptions> = {}) => {
  const rig = await openRig({ script, ...options });
  rig.task.run("Go").catch(() => undefined);
  const ask = await rig.ask("tool");
  return { rig, ask };
};

describe("rules that an approval can add", () => {
  test("are those with which the policy would allow the call", async () => {
    const { rig, ask } = await approval();
    await using _ = rig;
    expect(ask.rules).toEqual(["edit(src/a.txt)", "edit(src/**)"]);
    expect(ask.approve({ rule: "edit(src/**)" })).toEqual({ ok: true });
  });

  test("are none where another rule asks, or the policy does not take rules of the session", async () => {
    for (const policy of [
      byRules({ sources: [{ origin: "own", ask: ["edit(src/**)"] }] }),
      firstOf(allowTodoList(), askAPerson()),
    ]) {
      const { rig, ask } = await approval({ policy });
      await using _ = rig;
      expect(ask.rules).toEqual([]);
    }
  });

  test("are refused if they are not valid, and the ask stays open", async () => {
    const { rig, ask } = await approval();
    await using _ = rig;
    expect(ask.approve({ rule: "edit" })).toMatchObject({ ok: false, code: "ANSWER_REFUSED" });
    expect(rig.task.snapshot.context.permissions.rules).toEqual([]);
    expect(rig.task.asks).toEqual([ask]);
  });
});

describe("changes of the permissions in a row", () => {
  test("each start from the one before, also before it is durable, with a held one", async () => {
    const { rig, ask } = await approval();
    await using _ = rig;
    const { task } = rig;
    const add = (level: "allow" | "deny", rule: string) =>
      task.changePermissions(({ rules }) => ({ rules: [...rules, { level, rule }] }));
    expect([add("allow", "edit(a)"), add("allow", "edit(b)")]).toEqual([
      { ok: true, held: true },
      { ok: true, held: true },
    ]);
    expect([add("deny", "edit(c)"), add("deny", "edit(d)")]).toEqual([{ ok: true }, { ok: true }]);
    await rig.until(({ snapshot }) => snapshot.context.permissions.rules.length === 4);
    expect(task.snapshot.context.permissions.rules.map(({ rule }) => rule)).toEqual([
      "edit(a)",
      "edit(b)",
      "edit(c)",
      "edit(d)",
    ]);
    expect(task.asks).not.toContain(ask);
  });

  test("of a closed task are refused, and no function is called", async () => {
    const { rig } = await approval();
    await using _ = rig;
    await rig.task.close();
    const change = () => expect.unreachable();
    expect(rig.task.changePermissions(change)).toMatchObject({ ok: false, code: "TASK_CLOSED" });
  });
});

describe("modes of a task", () => {
  test("that are not valid are rejected when it is created", async () => {
    await expect(openRig({ script, mode: "nope" })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("expected one of architect, code, ask, debug, orchestrator"),
    });
    const mode = { slug: "a", name: "A", role: "You work.", permissions: [] };
    await expect(openRig({ script, modes: [mode, mode] })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("the first record of a task", () => {
  const recorded = async (options: Partial<RigOptions>) => {
    await using rig = await openRig({ script: "[{ text: Done. }]", ...options });
    await rig.task.run("Go");
    return rig.shown.flatMap(({ commit }) => commit.facts?.permissions ?? []);
  };

  test("has no permissions if the task has only a judge", async () => {
    expect(await recorded({ policy: askAPerson() })).toEqual([]);
  });

  test("has the level and the rules that the task is created with", async () => {
    expect(await recorded({ permissions: { level: "auto" } })).toMatchObject([{ mode: "auto", rules: [] }]);
  });
});
