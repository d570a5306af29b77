import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { subtaskDeleted } from "../../../machines/conversation/notices.ts";
import { fileJournal } from "../../../store/index.ts";
import { deleteTask } from "../../../store/task-history/deletion.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { listTasks } from "../../../store/task-history/task-list.ts";
import { type Rig, resultsOf } from "../../support/host.ts";
import { program } from "../../support/program.ts";
import {
  askOf,
  type Copy,
  Crash,
  completes,
  NOTE,
  Notes,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

const script = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
  { mode: "one", after: "ask_followup_question", turn: completes("One done.") },
  { mode: "one", after: "note", turn: QUESTION },
  { mode: "one", turn: NOTE },
);

/** The files of a process that ended while the subtask waited for an answer, after its effect. */
async function crashed(rig: Rig): Promise<{ crash: Crash; dataDir: string; id: string }> {
  rig.task.run("Do it").catch(() => undefined);
  const id = `${rig.task.id}.1`;
  await askOf(rig.host, id, "question");
  const crash = new Crash(rig);
  return { crash, dataDir: path.join(crash.base, "data"), id };
}

async function resumed({ task }: Copy): Promise<void> {
  await task.flushed();
  const end = task.settled();
  const [ask] = task.asks;
  if (ask?.kind !== "resume") throw new Error(`The task rests on ${ask?.kind}.`);
  ask.approve();
  await end;
}

/** The parent has one result, which names the deletion, and nothing ran again. */
function expectDeleted(rig: Rig, { task }: Copy, id: string, notes: Notes): void {
  expect(subtaskResults(task)).toEqual([subtaskDeleted(id)]);
  expect(resultsOf(rig.sent().at(-1) ?? [])).toEqual([subtaskDeleted(id)]);
  expect(task.snapshot.context.result).toBe("All done.");
  expect(notes.count).toBe(0);
}

describe("L16: a subtask that was deleted is not one that was never created (LIFE-GAP-023)", () => {
  test("settles the call of its parent when that is opened, and is not created again", async () => {
    await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
    const { crash, dataDir, id } = await crashed(rig);
    expect(await deleteTask(fileHistory(dataDir), id)).toEqual({ deleted: [id], remaining: [] });
    const notes = new Notes();
    await using copy = await crash.open({ tools: [notes.tool] });
    await resumed(copy);
    expectDeleted(rig, copy, id, notes);
    expect(existsSync(path.join(dataDir, "tasks", id))).toBe(false);
    expect((await listTasks({ dataDir })).map((task) => task.id)).toEqual([rig.task.id]);
  });

  test("settles the call of its open parent when another process deletes it", async () => {
    await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
    const { crash, dataDir, id } = await crashed(rig);
    const notes = new Notes();
    await using copy = await crash.open({ tools: [notes.tool] });
    const file = await program(new URL("./deletion.child.ts", import.meta.url));
    const other = fork(file, [dataDir, id]);
    expect(await once(other, "exit")).toEqual([0, null]);
    await resumed(copy);
    expectDeleted(rig, copy, id, notes);
  }, 60_000);

  test("it can't be deleted while a process has it open, and is not marked then", async () => {
    await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
    const { crash, dataDir, id } = await crashed(rig);
    const other = fileJournal({ dir: path.join(dataDir, "tasks", id) });
    await other.own();
    await expect(deleteTask(fileHistory(dataDir), id)).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    await other.close();
    expect(readdirSync(path.join(dataDir, "tasks", rig.task.id))).not.toContain(`deleted-${id}`);
    const notes = new Notes();
    await using copy = await crash.open({ tools: [notes.tool] });
    await resumed(copy);
    expect(subtaskResults(copy.task)).toEqual(["One done."]);
  });

  test("a deletion that fails is reported, and the subtask goes on when its parent resumes", async () => {
    await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
    const { crash, dataDir, id } = await crashed(rig);
    mkdirSync(path.join(dataDir, "tasks", rig.task.id, `deleted-${id}`));
    await expect(deleteTask(fileHistory(dataDir), id)).rejects.toMatchObject({ code: "HISTORY_IO" });
    const notes = new Notes();
    await using copy = await crash.open({ tools: [notes.tool] });
    await resumed(copy);
    expect(subtaskResults(copy.task)).toEqual(["One done."]);
    expect(notes.count).toBe(0);
  });

  test("the mark goes with the parent, whose deletion with its subtasks leaves nothing", async () => {
    await using rig = await openSubtaskRig(script, { tools: [new Notes().tool] });
    const { crash, dataDir, id } = await crashed(rig);
    expect(await deleteTask(fileHistory(dataDir), rig.task.id, { recursive: true })).toEqual({
      deleted: [id, rig.task.id],
      remaining: [],
    });
    expect(readdirSync(path.join(dataDir, "tasks"))).toEqual([".task-index"]);
    rmSync(crash.base, { recursive: true, force: true });
  });
});
