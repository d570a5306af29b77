import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHost } from "../../../runtime/host.ts";
import { deleteTask } from "../../../store/task-history/deletion.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { forkTask } from "../../../store/task-history/fork.ts";
import { findTask } from "../../../store/task-history/lookup.ts";
import { listTasks } from "../../../store/task-history/task-list.ts";
import { CHOSEN_ID_MAX_CHARS, TASK_ID_MAX_CHARS } from "../../../wire/task-id.ts";
import { resultsOf } from "../../support/host.ts";
import { complete } from "../../support/model.ts";
import { completes, openSubtaskRig, scriptByMode, subtask } from "../../support/subtasks.ts";

/** Bytes of a name that encrypted file systems allow. */
const ENCRYPTED_NAME_MAX = 143;

const SCRIPT = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
  { mode: "one", after: "new_task", turn: completes("One done.") },
  { mode: "one", turn: subtask("two") },
  { mode: "two", turn: completes("Two done.") },
);
const idOf = (chars: number): string => "i".repeat(chars);

describe("an id of the length that a caller may choose", () => {
  test.each([CHOSEN_ID_MAX_CHARS - 1, CHOSEN_ID_MAX_CHARS])(
    "has room for subtasks, a fork and a deletion: %i characters",
    async (chars) => {
      const id = idOf(chars);
      await using rig = await openSubtaskRig(SCRIPT, { id });
      expect((await rig.task.run("Do it")).result).toBe("All done.");
      const { dataDir } = rig;
      expect(readdirSync(path.join(dataDir, "tasks")).toSorted()).toEqual([id, `${id}.1`, `${id}.1.1`]);
      expect(await findTask(fileHistory(dataDir), `${id}.1.1`)).toBe(`${id}.1.1`);
      const newId = "f".repeat(chars);
      expect(await forkTask(fileHistory(dataDir), id, { newId })).toMatchObject({ id: newId });
      expect(await deleteTask(fileHistory(dataDir), newId)).toMatchObject({ deleted: [newId] });
      expect((await listTasks({ dataDir })).map((task) => task.id)).not.toContain(newId);
    },
  );

  test("is at most 128 characters, for a new task and for a fork", async () => {
    const id = idOf(CHOSEN_ID_MAX_CHARS + 1);
    await using rig = await openSubtaskRig(SCRIPT);
    const { dataDir } = rig;
    const host = createHost({ dataDir });
    const model = { id: "m", stream: () => complete() };
    await expect(host.create({ id, model, workspace: dataDir })).rejects.toThrow("expected 1 to 128 letters");
    await rig.task.run("Do it");
    await expect(forkTask(fileHistory(dataDir), rig.task.id, { newId: id })).rejects.toThrow(
      "of 1 to 128 letters",
    );
    expect(existsSync(path.join(dataDir, "tasks", id))).toBe(false);
  });

  test("is part of no other name, so that a file system with short names takes all of them", async () => {
    await using rig = await openSubtaskRig(SCRIPT, { id: idOf(CHOSEN_ID_MAX_CHARS) });
    await rig.task.run("Do it");
    const names = readdirSync(path.join(rig.dataDir, "tasks"), { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => path.basename(name).length > ENCRYPTED_NAME_MAX)).toEqual([]);
  });
});

test("a task whose id leaves no room for a subtask's id starts none, and tells the model (L14)", async () => {
  // The first level is the last whose id has room for the longest number.
  const levels = (TASK_ID_MAX_CHARS - CHOSEN_ID_MAX_CHARS) / 2;
  await using rig = await openSubtaskRig(
    scriptByMode(
      { mode: "one", after: "new_task", turn: completes("One done.") },
      { mode: "one", turn: subtask("one") },
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
    ),
    { id: idOf(CHOSEN_ID_MAX_CHARS), host: { subtaskDepth: 2 * levels } },
  );
  expect((await rig.task.run("Do it")).result).toBe("All done.");
  expect(rig.sent().flatMap(resultsOf).join()).toContain("The id of this task is too long for a subtask");
});
