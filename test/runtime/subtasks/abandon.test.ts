import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  askOf,
  Crash,
  completes,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

const SCRIPT = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
  { mode: "one", after: "ask_followup_question", turn: completes("One done.") },
  { mode: "one", turn: QUESTION },
);

test("an abandoned task and its subtask record nothing more, and go on when they are opened again", async () => {
  await using rig = await openSubtaskRig(SCRIPT);
  const { host, task } = rig;
  const end = task.run("Do it");
  end.catch(() => undefined);
  await askOf(host, `${task.id}.1`, "question");
  const journals = (): Promise<readonly string[]> =>
    Promise.all(
      [task.id, `${task.id}.1`].map((id) =>
        readFile(path.join(rig.dataDir, "tasks", id, "journal.jsonl"), "utf8"),
      ),
    );
  const before = await journals();
  await host.abandon(task.id, new Error("The lease has ended."));
  expect(await journals()).toEqual(before);
  expect(host.tasks.size).toBe(0);
  await expect(end).rejects.toThrow(`Task ${task.id}`);

  await using copy = await new Crash(rig).open();
  expect(copy.task.isInterrupted).toBe(true);
  const resumed = copy.task.run();
  expect((await resumed).result).toBe("All done.");
  expect(subtaskResults(copy.task)).toEqual(["One done."]);
});

test("abandoning a task that is not open does nothing", async () => {
  await using rig = await openSubtaskRig(SCRIPT);
  await rig.host.abandon("unknown", new Error("Lost."));
  expect(rig.host.tasks.size).toBe(1);
});
