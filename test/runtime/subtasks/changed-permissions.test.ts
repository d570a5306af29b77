import { describe, expect, test } from "vitest";
import type { JournalDriver } from "../../../store/index.ts";
import {
  completes,
  memoryJournals,
  NOTE,
  Notes,
  openedTask,
  openSubtaskRig,
  scriptByMode,
  subtask,
} from "../../support/subtasks.ts";

const SCRIPT = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
  { mode: "one", after: "new_task", turn: completes("One done.") },
  { mode: "one", turn: subtask("two") },
  { mode: "two", after: "note", turn: completes("Two done.") },
  { mode: "two", turn: NOTE },
);

/** A root whose journals call `opening` while a subtask is opened, before the host has it. */
async function openTree(opening: (taskId: string) => void) {
  const journals = memoryJournals();
  const journal = (taskId: string): JournalDriver => {
    const driver = journals(taskId);
    return {
      ...driver,
      path: driver.path,
      own: async () => {
        opening(taskId);
        await driver.own();
      },
    };
  };
  const notes = new Notes();
  const rig = await openSubtaskRig(SCRIPT, {
    journal,
    tools: [notes.tool],
    policy: ({ tool }, { permissions }) =>
      tool.name === "note" && permissions?.mode === "plan"
        ? { kind: "deny", rule: "plan", reason: "A plan has no notes." }
        : { kind: "allow", rule: "not a plan" },
  });
  return { rig, notes };
}

describe("a change of the permissions of a task while its subtask is being created", () => {
  test.each([
    ["its subtask", ".1"],
    ["the subtask of its subtask", ".1.1"],
  ])("holds for %s before it begins (GATE)", async (_, suffix) => {
    const { rig, notes } = await openTree((taskId) => {
      if (taskId.endsWith(suffix) && taskId.length === rig.task.id.length + suffix.length)
        rig.task.changePermissions({ level: "plan" });
    });
    await using _rig = rig;
    const opened = openedTask(rig.host, `${rig.task.id}${suffix}`);
    await rig.task.run("Do it");
    expect((await opened).snapshot.context.permissions.mode).toBe("plan");
    expect(notes.count).toBe(0);
  });
});
