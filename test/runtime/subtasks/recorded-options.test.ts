import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHost } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { forkTask } from "../../../store/task-history/fork.ts";
import { allowEverything } from "../../../tools/index.ts";
import { JOURNAL_VERSION } from "../../../wire/journal/record.ts";
import { complete, scripted } from "../../support/model.ts";
import {
  askOf,
  Crash,
  MODES,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
} from "../../support/subtasks.ts";

const script = scriptByMode({ mode: "code", turn: subtask("one") }, { mode: "one", turn: QUESTION });

/** What a parent decides for its subtask. */
const decidedIn = ({ snapshot: { context } }: Task) => {
  const { completion, queueDelivery, mode, budget, permissions, profile, intent } = context;
  const { mode: permissionMode, rules } = permissions;
  return { completion, queueDelivery, mode, budget, permissionMode, rules, profile, intent };
};

/** Opens a task of the crashed process on its own, with other options than those of its parent. */
async function openedAlone(crash: Crash, id: string): Promise<ReturnType<typeof decidedIn>> {
  const host = createHost({ dataDir: path.join(crash.base, "data") });
  const task = await host.open(id, {
    model: scripted([() => complete("Done.")]),
    workspace: path.join(crash.base, "workspace"),
    modes: MODES,
    completion: "end_turn",
    queueDelivery: "one",
    permissions: { level: "plan", judge: allowEverything() },
    budget: { requests: 100 },
  });
  const decided = decidedIn(task);
  await host.closeAll();
  return decided;
}

describe("a parent's choice for its subtask is recorded before it works (LIFE-GAP-035)", () => {
  test("and is the same after it is reopened alone, in a fork, and in the journal of an earlier version", async () => {
    await using rig = await openSubtaskRig(script, {
      budget: { requests: 8 },
      permissions: { level: "bypass" },
      completion: "end_turn",
      queueDelivery: "one",
    });
    rig.task.run("Do it").catch(() => undefined);
    const id = `${rig.task.id}.1`;
    await askOf(rig.host, id, "question");
    const child = rig.host.tasks.get(id);
    if (child === undefined) throw new Error("The subtask is not open.");
    const decided = decidedIn(child);
    expect(decided).toMatchObject({ completion: "tool", queueDelivery: "all", mode: "one" });
    expect(decided).toMatchObject({ permissionMode: "bypass", budget: { state: "lent" } });
    const crash = new Crash(rig);
    const dataDir = path.join(crash.base, "data");
    const file = path.join(dataDir, "tasks", id, "journal.jsonl");
    const [header = "", ...records] = readFileSync(file, "utf8").split("\n");
    expect(header).toContain('"completion":"tool","queueDelivery":"all"');
    expect(await openedAlone(crash, id)).toEqual(decided);
    await forkTask(fileHistory(dataDir), id, { newId: "fork" });
    expect(await openedAlone(crash, "fork")).toMatchObject({
      completion: "tool",
      queueDelivery: "all",
      mode: "one",
    });
    const { parent } = child;
    if (parent === undefined) throw new Error("The subtask has no parent.");
    const old = {
      seq: 0,
      kind: "header",
      version: JOURNAL_VERSION,
      taskId: id,
      createdAt: 0,
      parent,
    } as const;
    writeFileSync(file, [encodeLine(old), ...records].join("\n"));
    await forkTask(fileHistory(dataDir), id, { newId: "fork2" });
    expect(await openedAlone(crash, id)).toEqual(decided);
    expect(await openedAlone(crash, "fork2")).toMatchObject({ completion: "tool", queueDelivery: "all" });
    rmSync(crash.base, { recursive: true, force: true });
  });
});
