import { describe, expect, test } from "vitest";
import { subtaskCancelled } from "../../../machines/conversation/notices.ts";
import {
  asking,
  call,
  inBackground,
  openBackgroundRig,
  question,
  timesSent,
} from "../../support/background-script.ts";
import { resultsOf } from "../../support/host.ts";
import { merge, openRepository, results, write } from "../../support/isolated-subtasks.ts";
import {
  askOf,
  Crash,
  completes,
  openedTask,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

/** A subtask that writes a file, then asks. */
const one = [
  { mode: "one", after: "write_to_file", turn: QUESTION },
  { mode: "one", turn: write("a.txt", "ours\\n") },
];
const script = scriptByMode(
  { mode: "code", after: "merge_subtask", turn: completes("All done.") },
  { mode: "code", after: "new_task", turn: merge("root.1") },
  { mode: "code", turn: subtask("one") },
  ...one,
);
const KEPT = subtaskCancelled("root.1", "worktree");

describe("the parent of a cancelled subtask with a worktree", () => {
  test("gets how to merge or decline what it changed so far, and merges it", async () => {
    await using rig = await openRepository(script);
    const end = rig.task.run("Do it");
    await askOf(rig.host, "root.1", "question");
    (await openedTask(rig.host, "root.1")).cancel();
    expect((await end).result).toBe("All done.");
    expect(results(rig)[0]).toBe(KEPT);
    expect(KEPT).toContain("the git worktree that it worked in is kept");
    expect(KEPT).toContain('Call merge_subtask with the id "root.1"');
    expect(await rig.file("a.txt")).toBe("ours\n");
  });

  test("gets it where it was cancelled itself, when it continues", async () => {
    await using rig = await openRepository(script);
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, "root.1", "question");
    rig.task.cancel();
    expect((await rig.task.run("go on")).result).toBe("All done.");
    expect(resultsOf(rig.sent().at(-2) ?? [])).toContain(KEPT);
    expect(await rig.file("a.txt")).toBe("ours\n");
  });

  test("gets it also where its process ended while the subtask worked (L16)", async () => {
    await using rig = await openRepository(script);
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, "root.1", "question");
    const crash = new Crash(rig);
    await using copy = await crash.open({ isolation: "worktree", workspace: rig.dir });
    const [resume] = copy.task.asks;
    if (resume?.kind !== "resume") throw new Error("Expected a resume ask.");
    const end = copy.task.settled();
    const child = openedTask(copy.host, "root.1");
    resume.approve();
    await askOf(copy.host, "root.1", "question");
    (await child).cancel();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(copy.task)[0]).toBe(KEPT);
  });

  test("gets it with the end of one that it cancelled in the background", async () => {
    await using rig = await openBackgroundRig(
      [
        { mode: "code", after: "cancel_subtask", turn: completes("All done.") },
        { mode: "code", after: "ask_followup_question", turn: call("cancel_subtask", "id: root.1") },
        { mode: "code", after: "new_task", turn: question("Mine?") },
        { mode: "code", turn: inBackground("one") },
        ...asking("one"),
      ],
      { id: "root", isolation: "copy" },
    );
    const running = rig.task.run("Do it");
    await askOf(rig.host, "root.1", "question");
    const mine = await rig.ask("question");
    const settled = rig.task.settled();
    mine.answer("go");
    await settled;
    await running;
    expect(timesSent(rig, subtaskCancelled("root.1", "copy"))).toBe(1);
  });
});
