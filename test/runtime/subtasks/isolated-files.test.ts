import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { IsolatedSubtasks } from "../../../runtime/subtasks/isolated-subtasks.ts";
import { memoryJournal } from "../../../store/index.ts";
import type { PolicyCall } from "../../../tools/index.ts";
import { git, openProject } from "../../adapters/isolation/project.ts";
import {
  decline,
  EDIT,
  isolationOf,
  merge,
  openRepository,
  results,
  START,
  worktreesOf,
  write,
  writer,
} from "../../support/isolated-subtasks.ts";
import {
  askOf,
  Crash,
  completes,
  openedTask,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  scriptOfRoot,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

const journal = () => memoryJournal();

describe("a subtask with the isolation worktree", () => {
  test("has a link out of the workspace, which no choice merges: the parent learns that keep merges the rest", async () => {
    const script = scriptByMode(
      {
        mode: "code",
        after: "new_task",
        turn: `{ blocks: [${merge("root.1", "take")}, ${merge("root.1", "keep")}] }`,
      },
      { mode: "code", after: "merge_subtask", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", after: "execute_command", turn: completes("Done.") },
      {
        mode: "one",
        turn: '{ tool: execute_command, input: { command: "ln -s /etc/passwd out; echo x > new" } }',
      },
    );
    await using rig = await openRepository(script, { permissions: { level: "bypass" } });
    await rig.task.run("Do it");
    const [, taken, kept] = results(rig);
    expect(taken).toContain("If one is to be changed by hand, only keep merges the others.");
    expect(kept).toContain("The changes of subtask root.1 are merged. Changed, and not committed: new.");
    expect(await rig.file("new")).toBe("x\n");
    expect(existsSync(path.join(rig.dir, "out"))).toBe(false);
  });

  test("works on files of its own; its parent gets the changes and merges them by a tool", async () => {
    const script = scriptByMode(
      { mode: "code", after: "merge_subtask", turn: completes("All done.") },
      { mode: "code", after: "new_task", turn: merge("root.1") },
      { mode: "code", turn: subtask("one") },
      ...writer("one", "a.txt", "ours\\n"),
    );
    const before: string[] = [];
    await using rig = await openRepository(script, {
      policy: async ({ tool }: PolicyCall) => {
        if (tool.name === "merge_subtask") before.push(await readFile(path.join(rig.dir, "a.txt"), "utf8"));
        return { kind: "allow", rule: "all" };
      },
    });
    const child = openedTask(rig.host, "root.1");
    expect((await rig.task.run("Do it")).result).toBe("All done.");
    expect(before).toEqual(["one\n"]);
    expect(await rig.file("a.txt")).toBe("ours\n");
    const [ended = "", merged] = results(rig);
    expect(ended).toContain("one done.");
    expect(ended).toContain('Call merge_subtask with the id "root.1"');
    expect(ended).toContain("modified a.txt (+1 -1)");
    expect(ended).toContain("-one\n+ours");
    expect(merged).toBe("The changes of subtask root.1 are merged. Changed, and not committed: a.txt.");
    expect((await child).workspace).toContain(path.join("worktrees", "root.1", "files"));
    expect(await isolationOf(rig).list()).toEqual([]);
    expect(worktreesOf(rig).match(/^worktree /gm)).toHaveLength(1);
    expect(git(rig.dir, "branch", "--list")).not.toContain("signalbox");
  });

  test("that is declined leaves the files of its parent, and nothing of its own", async () => {
    await using rig = await openRepository(
      scriptByMode(
        { mode: "code", after: "decline_subtask", turn: completes("All done.") },
        { mode: "code", after: "new_task", turn: decline("root.1") },
        { mode: "code", turn: subtask("one") },
        ...writer("one", "a.txt", "ours\\n"),
      ),
    );
    await rig.task.run("Do it");
    expect(await rig.file("a.txt")).toBe("one\n");
    expect(results(rig).at(1)).toContain("were removed, and nothing of them was merged");
    expect(await isolationOf(rig).list()).toEqual([]);
  });

  test("that changed nothing leaves no worktree", async () => {
    await using rig = await openRepository(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        { mode: "one", turn: completes("One done.") },
      ),
    );
    await rig.task.run("Do it");
    expect(subtaskResults(rig.task)).toEqual(["One done.\n\nIt changed no files."]);
    expect(await isolationOf(rig).list()).toEqual([]);
  });

  test("that is neither merged nor declined is kept, and listed", async () => {
    await using rig = await openRepository(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        ...writer("one", "a.txt", "ours\\n"),
      ),
    );
    await rig.task.run("Do it");
    const [record] = await isolationOf(rig).list();
    expect(record).toMatchObject({
      id: "root.1",
      parentId: "root",
      kind: "worktree",
      branch: "signalbox/root.1",
    });
    expect(await rig.file("a.txt")).toBe("one\n");
  });

  test("has the changes that its parent has not committed", async () => {
    await using rig = await openRepository(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", after: "write_to_file", turn: subtask("one") },
        { mode: "code", turn: write("new.txt", "from the parent\\n") },
        { mode: "one", after: "read_file", turn: completes("One done.") },
        { mode: "one", turn: "{ tool: read_file, input: { files: [{ path: new.txt }] } }" },
      ),
    );
    await rig.task.run("Do it");
    expect(JSON.stringify(rig.sent())).toContain("from the parent");
    expect(git(rig.dir, "status", "--porcelain")).toBe("?? new.txt\n");
  });

  test("in conflict with another one is not merged, and is taken by a second call", async () => {
    const merges = [merge("root.1"), merge("root.2"), merge("root.2", "take")];
    await using rig = await openRepository(
      scriptOfRoot(
        [subtask("one"), subtask("two"), ...merges],
        ...writer("one", "a.txt", "from one\\n"),
        ...writer("two", "a.txt", "from two\\n"),
      ),
    );
    await rig.task.run("Do it");
    const [, , first, second, third] = results(rig);
    expect(first).toContain("root.1 are merged");
    expect(second).toContain("Nothing of subtask root.2 was merged");
    expect(second).toContain("- a.txt: both changed the lines from 1 on");
    expect(third).toContain("root.2 are merged");
    expect(await rig.file("a.txt")).toBe("from two\n");
  });

  test("starts subtasks in worktrees of its own worktree, and merges them there", async () => {
    await using rig = await openRepository(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        { mode: "one", after: "merge_subtask", turn: completes("One done.") },
        { mode: "one", after: "new_task", turn: merge("root.1.1") },
        { mode: "one", after: "write_to_file", turn: subtask("two") },
        { mode: "one", turn: write("a.txt", "from one\\n") },
        ...writer("two", "b.txt", "from two\\n"),
      ),
    );
    await rig.task.run("Do it");
    expect([await rig.file("a.txt"), await rig.file("b.txt")]).toEqual(["one\n", "b\n"]);
    const [record, ...others] = await isolationOf(rig).list();
    expect(others).toEqual([]);
    const files = record === undefined ? [] : (await isolationOf(rig).changes(record)).files;
    expect(files.map((file) => file.path)).toEqual(["a.txt", "b.txt"]);
  });

  test("can't be merged by a task that is not its parent, and the model gets the ids that can", async () => {
    await using rig = await openRepository(
      scriptByMode(
        { mode: "code", after: "merge_subtask", turn: completes("All done.") },
        { mode: "code", after: "new_task", turn: merge("other.1") },
        { mode: "code", turn: subtask("one") },
        ...writer("one", "a.txt", "ours\\n"),
      ),
    );
    await rig.task.run("Do it");
    expect(results(rig).at(1)).toContain("This task has no subtask other.1 with files of its own.");
    expect(results(rig).at(1)).toContain("neither merged nor declined: root.1.");
  });

  test("can't be merged or declined twice: the model gets the reason, and only the ids that can be merged", async () => {
    const asked: string[] = [];
    const first = [merge("root.1"), merge("root.1"), decline("root.4"), decline("root.2")];
    const calls = [...first, merge("root.2"), merge("root.3")];
    const turns = [subtask("one"), subtask("two"), subtask("three"), ...calls];
    await using rig = await openRepository(
      scriptOfRoot(
        turns,
        ...writer("one", "a.txt", "from one\\n"),
        ...writer("two", "b.txt", "from two\\n"),
        { mode: "three", turn: completes("Three done.") },
      ),
      {
        policy: ({ tool }, { description }) => {
          if (tool.name.endsWith("_subtask")) asked.push(description.text);
          return { kind: "allow", rule: "all" };
        },
      },
    );
    await rig.task.run("Do it");
    const [, again, unknown, , declined, unchanged] = results(rig).slice(3);
    expect(again).toContain("The changes of subtask root.1 were merged before.");
    expect(again).toContain("neither merged nor declined: root.2.");
    expect(declined).toContain("The changes of subtask root.2 were declined before");
    expect(declined).toContain("No subtask of this task has changes to merge or decline now.");
    expect(unchanged).toContain("Subtask root.3 changed no files");
    expect(unknown).toContain("This task has no subtask root.4 with files of its own.");
    // A call that can't be made is not judged.
    expect(asked).toHaveLength(2);
  });
});

describe("a merge by a tool", () => {
  const script = scriptByMode(
    { mode: "code", after: "merge_subtask", turn: completes("All done.") },
    { mode: "code", after: "new_task", turn: merge("root.1") },
    { mode: "code", turn: subtask("one") },
    ...writer("one", "a.txt", "ours\\n"),
  );

  test("is judged by its files, and shows them to the person who is asked (L7)", async () => {
    const judged: (readonly string[])[] = [];
    await using rig = await openRepository(script, {
      policy: ({ tool }, { description }) => {
        if (tool.name !== "merge_subtask") return { kind: "allow", rule: "all" };
        judged.push(description.paths.map((each) => each.path));
        return { kind: "ask" };
      },
    });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("tool");
    expect(ask.diff).toContain("-one\n+ours");
    ask.reject();
    await end;
    expect(judged).toEqual([["a.txt"]]);
    expect(await rig.file("a.txt")).toBe("one\n");
    expect(await isolationOf(rig).list()).toHaveLength(1);
  });

  test("is refused if the changes are no longer those that a person approved", async () => {
    await using rig = await openRepository(script, {
      policy: ({ tool }) =>
        tool.name === "merge_subtask" ? { kind: "ask" } : { kind: "allow", rule: "all" },
    });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("tool");
    const [record] = await isolationOf(rig).list();
    await writeFile(path.join(record?.workspace ?? "", "a.txt"), "other\n");
    ask.approve();
    await end;
    expect(results(rig).at(1)).toContain("A file of root.1 has changed since this call was sent");
    expect(await rig.file("a.txt")).toBe("one\n");
  });

  test("is preceded by a checkpoint, which restores the files as they were before it", async () => {
    await using rig = await openRepository(script, { checkpoints: true });
    await rig.task.run("Do it");
    expect(await rig.file("a.txt")).toBe("ours\n");
    const saved = rig.task.log.toArray().filter(({ say }) => say === "checkpoint_saved");
    const checkpoints = await rig.task.openCheckpoints();
    if ("off" in checkpoints) throw new Error(checkpoints.off);
    await checkpoints.restore(saved.at(0)?.text ?? "");
    expect(await rig.file("a.txt")).toBe("one\n");
  });
});

describe("the files of a subtask", () => {
  test("are neither merged nor removed while it works", async () => {
    await using project = await openProject({ "a.txt": "a" });
    await project.open("root.1", { parentId: "root" });
    const { dataDir } = project;
    const isolated = new IsolatedSubtasks({ dataDir, clock: systemClock, journal, isWorking: () => true });
    const files = isolated.filesOf("root");
    const workspace = await openWorkspace(project.files.dir);
    await expect(files.merge("root.1", { workspace, conflicts: "stop" })).rejects.toThrow("still works");
    await expect(files.decline("root.1")).rejects.toThrow("still works");
    await expect(files.changes("root.1", "merge")).rejects.toThrow("still works");
    await expect(isolated.filesOf("other").changes("root.1", "merge")).rejects.toThrow("no subtask root.1");
    expect(await project.isolation.list()).toHaveLength(1);
  });

  test("without a change can't be merged, but declined; only others are named", async () => {
    await using project = await openProject({ "a.txt": "a" });
    for (const id of ["root.1", "root.2", "root.3"]) await project.open(id, { parentId: "root" });
    const { files: changed } = await project.open("root.4", { parentId: "root" });
    changed.write("a.txt", "b");
    const { dataDir } = project;
    const isWorking = (id: string) => id === "root.3";
    const files = new IsolatedSubtasks({ dataDir, clock: systemClock, journal, isWorking }).filesOf("root");
    await expect(files.changes("root.1", "merge")).rejects.toThrow(
      "Subtask root.1 changed no files, so there is nothing to merge. Expected a subtask with changes that are neither merged nor declined: root.4.",
    );
    await files.decline("root.1");
    await expect(files.changes("root.1", "decline")).rejects.toThrow("were declined before");
    await expect(files.changes("root.3", "merge")).rejects.toMatchObject({ code: "NOT_RUN" });
    await expect(files.changes("../root.4", "merge")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("that a person merged on the command line are named as merged", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const { record, files } = await project.open("root.1", { parentId: "root" });
    files.write("a.txt", "b");
    await project.merge(record);
    const { dataDir } = project;
    const own = new IsolatedSubtasks({
      dataDir,
      clock: systemClock,
      journal,
      isWorking: () => false,
    }).filesOf("root");
    await expect(own.changes("root.1", "merge")).rejects.toThrow("were merged before");
    expect(await project.isolation.list()).toEqual([]);
  });

  test("say nothing about a failure of a task that has another parent", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const { files } = await project.open("root.1", { parentId: "root" });
    files.write("a.txt", "b");
    const { dataDir } = project;
    const isolated = new IsolatedSubtasks({ dataDir, clock: systemClock, journal, isWorking: () => false });
    const end = { kind: "failed", message: "it failed" } as const;
    expect(await isolated.withChanges("other", "root.1", end)).toEqual(end);
    expect((await isolated.withChanges("root", "root.1", end)).message).toContain("modified a.txt");
  });
});

describe("without the option isolation", () => {
  test("subtasks share the files of the task, and no tool to merge is offered", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        ...writer("one", "a.txt", "ours\\n"),
      ),
      { files: START },
    );
    await rig.task.run("Do it");
    expect(await rig.file("a.txt")).toBe("ours\n");
    expect(JSON.stringify(rig.mock?.requests.map(({ body }) => body))).not.toContain("merge_subtask");
    expect(existsSync(path.join(rig.dataDir, "worktrees"))).toBe(false);
  });
});

describe("a subtask whose process ended", () => {
  test("after its end and before its parent had it: the parent gets the changes when it is opened", async () => {
    await using rig = await openRepository(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        ...writer("one", "a.txt", "ours\\n"),
      ),
    );
    let crash: Crash | undefined;
    rig.host.opened$.subscribe((opened) =>
      opened.events$.subscribe(({ commit }) => {
        if (commit.reports.some(({ type }) => type === "task.completed")) crash ??= new Crash(rig);
      }),
    );
    await rig.task.run("Do it");
    if (crash === undefined) throw new Error("There was no end.");
    await using copy = await crash.open({ isolation: "worktree", workspace: rig.dir });
    expect(subtaskResults(copy.task)[0]).toContain("one done.");
    expect(subtaskResults(copy.task)[0]).toContain("modified a.txt (+1 -1)");
  });

  test("continues in the same worktree, and its parent gets all of its changes (L16)", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", after: "apply_diff", turn: completes("One done.") },
      { mode: "one", after: "ask_followup_question", turn: EDIT },
      { mode: "one", after: "write_to_file", turn: QUESTION },
      { mode: "one", turn: write("a.txt", "ours\\n") },
    );
    await using rig = await openRepository(script);
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, "root.1", "question");
    const crash = new Crash(rig);
    await using copy = await crash.open({ isolation: "worktree", workspace: rig.dir });
    copy.host.opened$.subscribe((opened) =>
      opened.asks$.subscribe((ask) => {
        if (ask.kind === "question") ask.answer("left");
      }),
    );
    const end = copy.task.settled();
    const [resume] = copy.task.asks;
    if (resume?.kind !== "resume") throw new Error("Expected a resume ask.");
    resume.approve();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(copy.task)[0]).toContain("modified a.txt (+1 -1)\nmodified b.txt (+1 -1)");
    expect([await rig.file("a.txt"), await rig.file("b.txt")]).toEqual(["one\n", "b\n"]);
  });
});
