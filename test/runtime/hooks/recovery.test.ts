import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import { openHistory } from "../../../runtime/task-history/task-history.ts";
import { allowEverything, askAPerson } from "../../../tools/index.ts";
import {
  denyingWrites,
  effectsOf,
  hanging,
  hookAt,
  hookRig,
  lastResults,
  run,
  WRITE,
  WRITES,
  written,
} from "../../support/hooks.ts";
import { DONE, type Rig } from "../../support/host.ts";
import { deferred } from "../../support/model.ts";
import { Crash, completes, openSubtaskRig, scriptByMode, subtask } from "../../support/subtasks.ts";

const copied = ({ base }: Crash): Promise<string> =>
  readFile(path.join(base, "workspace/a.txt"), "utf8").catch(() => "(none)");

/** Options of a task that is opened again. */
const reopening = ({ mock }: Rig) => ({
  model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock?.url }),
  permissions: { judge: allowEverything() },
});

describe("L12: a task whose process ended before the end of a hook", () => {
  test("before a call: the call was interrupted, and never runs", async () => {
    const started = deferred();
    await using rig = await hookRig([hanging("beforeTool", started.resolve)]);
    run(rig).catch(() => undefined);
    await started.promise;
    const crash = new Crash(rig);
    let runs = 0;
    await using copy = await crash.open({ hooks: [hookAt("beforeTool", () => void runs++, WRITES)] });
    expect(copy.task.state.state).toBe("resumable");
    expect((await copy.task.run()).result).toBe("Done.");
    expect(lastResults(rig)).toContain("interrupted before this tool call");
    expect([runs, await copied(crash)]).toEqual([0, "(none)"]);
  });

  test("after a call: its result is withheld from the model, and its hooks do not run again", async () => {
    const started = deferred();
    await using rig = await hookRig([hanging("afterTool", started.resolve)]);
    run(rig).catch(() => undefined);
    await started.promise;
    const crash = new Crash(rig);
    let runs = 0;
    await using copy = await crash.open({ hooks: [hookAt("afterTool", () => void runs++, WRITES)] });
    expect((await copy.task.run()).result).toBe("Done.");
    expect(lastResults(rig)).toContain("The call of write_to_file has ended, and its result is withheld");
    expect([runs, await copied(crash)]).toEqual([0, "x"]);
  });

  test("after a call: what the user said with its approval stays", async () => {
    const started = deferred();
    await using rig = await hookRig([hanging("afterTool", started.resolve)], { policy: askAPerson() });
    run(rig).catch(() => undefined);
    (await rig.ask("tool")).approve({ text: "Be quick." });
    await started.promise;
    await using copy = await new Crash(rig).open();
    expect((await copy.task.run()).result).toBe("Done.");
    expect(lastResults(rig)).toContain('"feedback":"Be quick."}\nThe call of write_to_file has ended');
  });
});

describe("The hooks of a task", () => {
  const script = `[${WRITE}, ${DONE}, ${WRITE}, ${DONE}]`;

  test("decide also after a passivation", async () => {
    await using rig = await hookRig([denyingWrites()], { script });
    await run(rig);
    await rig.task.flushed();
    expect(await rig.task.passivate()).toBe(true);
    expect((await rig.task.run("Again")).result).toBe("Done.");
    expect(rig.sent()).toHaveLength(4);
    expect(lastResults(rig)).toContain('denied by the hook "beforeTool"');
    expect(await written(rig)).toBe("(none)");
  });

  test("come from the options each time it is opened, and for a fork", async () => {
    await using rig = await hookRig(undefined, { script: `[${DONE}, ${WRITE}, ${DONE}, ${WRITE}, ${DONE}]` });
    await run(rig);
    const { id } = rig.task;
    await rig.host.close(id);
    const fork = await openHistory({ dataDir: rig.dataDir }).fork(id);
    for (const each of [id, fork.id]) {
      const task = await rig.host.open(each, { ...reopening(rig), hooks: [denyingWrites(each)] });
      expect((await task.run("Write it")).result).toBe("Done.");
      expect(lastResults(rig)).toContain(`denied by the hook "beforeTool": ${each}`);
    }
    expect(await written(rig)).toBe("(none)");
  });

  test("are also the hooks of its subtasks", async () => {
    const steps = [
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", after: "write_to_file", turn: completes("One done.") },
      { mode: "one", turn: WRITE },
    ];
    await using rig = await openSubtaskRig(scriptByMode(...steps), { hooks: [denyingWrites()] });
    expect((await run(rig)).result).toBe("All done.");
    expect(JSON.stringify(rig.sent())).toContain("write_to_file: denied by the hook");
    expect(await written(rig)).toBe("(none)");
  });

  test.each([
    ["none", undefined],
    ["an empty list", []],
    ["one at rest", [hookAt("onRest", () => undefined)]],
  ])("start nothing where there are %s", async (_, hooks) => {
    await using rig = await hookRig(hooks);
    await run(rig);
    expect(effectsOf(rig)).not.toContain("hook");
  });

  test("are recorded as effects, started before they run and stopped when they have decided", async () => {
    await using rig = await hookRig([
      hookAt("beforeRequest", () => undefined),
      hookAt("beforeTool", () => undefined),
      hookAt("afterTool", () => undefined),
    ]);
    await run(rig);
    const ids = rig.shown.flatMap(({ commit }) =>
      commit.effects.flatMap(({ type, effect, id }) =>
        effect === "hook" ? [`${type} ${id.replace(/\d+\/\S+/, "CALL")}`] : [],
      ),
    );
    const request = ["effect.started hook", "effect.stopped hook"];
    const call = ["effect.started hook:CALL", "effect.stopped hook:CALL"];
    expect(ids).toEqual([...request, ...call, ...call, ...request, ...call]);
  });

  test("that are not valid are rejected when it is created", async () => {
    await expect(hookRig([denyingWrites(), denyingWrites()])).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining('The hook "beforeTool" is invalid: expected a unique name'),
    });
  });
});
