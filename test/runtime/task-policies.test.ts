import { rename } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import { createHost } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { TaskPolicies } from "../../runtime/task-policies/task-policies.ts";
import { memoryJournal } from "../../store/index.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { allowEverything, askAPerson, builtinTools } from "../../tools/index.ts";
import {
  and,
  compilePolicies,
  event,
  implies,
  not,
  once,
  or,
  type TemporalPolicy,
} from "../../tools/temporal/index.ts";
import { DONE, openRig, type Rig, resultsOf } from "../support/host.ts";
import { completes, MODES, openSubtaskRig, scriptByMode, subtask } from "../support/subtasks.ts";

const readSecret = once(event({ event: "call.started", path: ".env" }));
const write = event({ event: "call.started", effect: "writes" });

/** No file is written after a secret was read. */
const NO_WRITE: TemporalPolicy = {
  name: "sealed",
  clauses: [{ name: "no write after a secret", always: implies(write, not(readSecret)) }],
};
const NEEDS_PERSON: TemporalPolicy = {
  name: "watched",
  clauses: [{ name: "a person permits", always: implies(and(write, readSecret), event({ by: "person" })) }],
};

const READ = "{ tool: read_file, input: { path: .env } }";
const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: x } }";
const FILES = { ".env": "KEY=1" };
const DENIED = /denied by the rule \\?"sealed: no write after a secret\\?": This is not allowed now/;

/** The number of the first record with such a call. */
const recordOf = (rig: Rig, fits: (call: RecordedCall) => boolean): number | undefined =>
  rig.shown.find(({ commit }) => commit.calls.some(fits))?.seq;

/** What denied calls of a task, as its journal has it. */
async function denialsOf({ dataDir }: Rig, id: string) {
  const { rows } = await openHistory({ dataDir }).read(id);
  return rows.flatMap(({ row }) => row.denial ?? []);
}

const openSealed = (script: string, policies: readonly TemporalPolicy[] = [NO_WRITE]): Promise<Rig> =>
  openRig({ script, policies, policy: allowEverything(), files: FILES });

describe("a policy over time", () => {
  test("denies a call before it starts, and the model gets the clause", async () => {
    await using rig = await openSealed(`- ${WRITE}\n- ${READ}\n- ${WRITE}\n- ${DONE}`);
    expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
    const [, first = "", read = "", second = ""] = rig.sent().map((sent) => resultsOf(sent)[0] ?? "");
    expect(first).not.toMatch(DENIED);
    expect(read).toContain("KEY=1");
    expect(second).toMatch(DENIED);
    const started = recordOf(rig, ({ name, phase }) => name === "read_file" && phase === "running");
    expect(second).toContain(`since record ${started}.`);
    expect(await denialsOf(rig, rig.task.id)).toEqual([
      { policy: "sealed", clause: "no write after a secret", since: [{ seq: started }] },
    ]);
  });

  test("judges the calls of a response in their order, each when the ones before it have ended", async () => {
    for (const [calls, denied] of [
      [`[${READ}, ${WRITE}]`, 1],
      [`[${WRITE}, ${READ}]`, 0],
    ] as const) {
      await using rig = await openSealed(`- ${calls}\n- ${DONE}`);
      await rig.task.run("Go");
      const results = resultsOf(rig.sent().at(-1) ?? []);
      expect(results.filter((result) => DENIED.test(result))).toHaveLength(denied);
    }
  });

  test("asks a person where only a person may permit the call, whatever is allowed", async () => {
    await using rig = await openSealed(`- ${READ}\n- ${WRITE}\n- ${DONE}`, [NEEDS_PERSON]);
    const run = rig.task.run("Go");
    const ask = await rig.ask("tool");
    expect(ask.reason ?? "").toContain("clause a person permits of policy watched");
    ask.approve();
    expect(await run).toMatchObject({ result: "Done." });
    expect(await rig.file("a.txt")).toBe("x");
  });

  test("allows nothing that the other policies ask about, and denies it before they ask", async () => {
    await using rig = await openRig({
      script: `- ${READ}\n- ${WRITE}\n- ${DONE}`,
      policies: [NO_WRITE],
      policy: askAPerson(),
      files: FILES,
    });
    const run = rig.task.run("Go");
    (await rig.ask("tool")).approve();
    await run;
    expect(resultsOf(rig.sent().at(-1) ?? [])[0]).toMatch(DENIED);
  });
});

describe("the past of a task is still known", () => {
  const SCRIPT = `- ${READ}\n- ${DONE}\n- ${WRITE}\n- ${DONE}`;

  test("in a fork, and after it was reopened", async () => {
    await using rig = await openSealed(`${SCRIPT}\n- ${WRITE}\n- ${DONE}`);
    const { task, dataDir, dir } = rig;
    await task.run("Go");
    await rig.host.closeAll();
    const fork = await openHistory({ dataDir }).fork(task.id);
    for (const prompt of ["Write in the fork", "Write in the reopened fork"]) {
      const host = createHost({ dataDir });
      const again = await host.open(fork.id, {
        model: rig.model,
        permissions: { policies: [NO_WRITE], judge: allowEverything() },
        workspace: dir,
      });
      await again.run(prompt);
      expect(resultsOf(rig.sent().at(-1) ?? [])[0]).toMatch(DENIED);
      await host.closeAll();
    }
  });

  test("in a subtask, and in the task after its subtask", async () => {
    const child = [
      { mode: "one", after: "write_to_file", turn: completes("One done.") },
      { mode: "one", turn: WRITE },
    ];
    await using above = await openSubtaskRig(
      scriptByMode(
        ...child,
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", after: "read_file", turn: subtask("one") },
        { mode: "code", turn: READ },
      ),
      { policies: [NO_WRITE], files: FILES },
    );
    expect(await above.task.run("Go")).toMatchObject({ result: "All done." });
    expect(
      above
        .sent()
        .map((sent) => resultsOf(sent)[0] ?? "")
        .filter((text) => DENIED.test(text)),
    ).toHaveLength(1);
    expect(await denialsOf(above, `${above.task.id}.1`)).toMatchObject([
      { since: [{ task: above.task.id }] },
    ]);

    await using below = await openSubtaskRig(
      scriptByMode(
        { mode: "one", after: "read_file", turn: completes("One done.") },
        { mode: "one", turn: READ },
        { mode: "code", after: "write_to_file", turn: completes("All done.") },
        { mode: "code", after: "new_task", turn: WRITE },
        { mode: "code", turn: subtask("one") },
      ),
      { policies: [NO_WRITE], files: FILES },
    );
    expect(await below.task.run("Go")).toMatchObject({ result: "All done." });
    expect(resultsOf(below.sent().at(-1) ?? [])[0]).toMatch(DENIED);
    expect(await denialsOf(below, below.task.id)).toMatchObject([
      { since: [{ task: `${below.task.id}.1` }] },
    ]);
  });

  test("or a person is asked about each call, where the journal of a subtask is gone", async () => {
    const writes = `[${WRITE}, ${WRITE.replace("a.txt", "b.txt")}]`;
    await using rig = await openSubtaskRig(
      scriptByMode(
        { mode: "one", turn: completes("One done.") },
        { mode: "code", after: "write_to_file", turn: completes("All written.") },
        { mode: "code", after: "attempt_completion", turn: writes },
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
      ),
      { policies: [NO_WRITE], files: FILES },
    );
    const { task, dataDir, dir, model } = rig;
    expect(await task.run("Go")).toMatchObject({ result: "All done." });
    await rig.host.closeAll();
    const fork = await openHistory({ dataDir }).fork(task.id);
    const child = taskFolder(dataDir, `${task.id}.1`);
    // The rig reads it at the end.
    await rename(child, `${dataDir}/moved`);
    const host = createHost({ dataDir });
    const again = await host.open(fork.id, {
      model,
      permissions: { policies: [NO_WRITE], judge: allowEverything() },
      modes: MODES,
      workspace: dir,
    });
    const run = again.run("Write");
    const reasons: string[] = [];
    const asks = again.asks$.subscribe((ask) => {
      if (ask.kind !== "tool") return;
      reasons.push(ask.reason ?? "");
      ask.approve();
    });
    expect(await run).toMatchObject({ result: "All written." });
    asks.unsubscribe();
    await host.closeAll();
    await rename(`${dataDir}/moved`, child);
    const because = `what happened before can't be read: the journal of task ${task.id}.1 is missing`;
    expect(reasons).toEqual([because, because]);
    expect([await rig.file("a.txt"), await rig.file("b.txt")]).toEqual(["x", "x"]);
  });

  test("or a person is asked, where the journal of the task above is gone", async () => {
    await using rig = await openSealed(`- ${DONE}`);
    const above = new TaskPolicies({
      policies: compilePolicies([NO_WRITE]),
      taskId: "root.1",
      parent: { taskId: "root", rootId: "root", callId: "c" },
      lastSeq: undefined,
      journal: () => memoryJournal(),
      workspace: rig.dir,
    });
    const tool = builtinTools().find(({ name }) => name === "read_file");
    const description = { text: "", paths: [] };
    const judged =
      tool && above.judgeStart({ tool, input: { path: "a" } }, { workspace: rig.dir, description });
    expect(await judged).toMatchObject({
      facts: { effect: "reads", paths: ["a"] },
      policy: { because: "what happened before can't be read: the journal of task root is missing" },
    });
    expect(await judged).not.toHaveProperty("person");
  });
});

test("policies that are not valid are refused as an option", async () => {
  const policies = [{ name: "p", clauses: [{ name: "c", always: { path: "../a" } }] }];
  const open = openRig({ script: `- ${DONE}`, policies });
  await expect(open).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await expect(open).rejects.toThrow("expected a glob relative to the workspace");
  const never = [{ name: "p", clauses: [{ name: "c", always: not(event({ event: "call.started" })) }] }];
  await expect(openRig({ script: `- ${DONE}`, policies: never })).rejects.toThrow(
    "policies: expected policies that permit a call at some time",
  );
  const nested = [{ name: "p", clauses: [{ name: "c", always: or({ same: "path" }) }] }];
  await expect(openRig({ script: `- ${DONE}`, policies: nested })).rejects.toMatchObject({
    code: "OPTION_INVALID",
  });
});
