import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { fileJournal } from "../../../store/index.ts";
import { deleteTask } from "../../../store/task-history/deletion.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { findTask } from "../../../store/task-history/lookup.ts";
import { readTask } from "../../../store/task-history/recorded-task.ts";
import { listTasks } from "../../../store/task-history/task-list.ts";
import { renameTask } from "../../../store/task-history/title.ts";
import { Archive, started } from "./data-folder.ts";

const parent = (taskId: string, rootId: string) => ({ parent: { taskId, rootId, callId: "c" } });

describe("a name", () => {
  test("is in a file beside the journal, also for an open task", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    const before = archive.bytes("a");
    const driver = fileJournal({ dir: archive.folder("a") });
    await driver.own();
    await renameTask(fileHistory(archive.dataDir), "a", "  Größer  ");
    await driver.close();
    expect(archive.bytes("a")).toEqual(before);
    expect(readdirSync(archive.folder("a")).toSorted()).toEqual(["journal.jsonl", "title"]);
    expect(readFileSync(path.join(archive.folder("a"), "title"), "utf8")).toBe("Größer\n");
    expect((await readTask(fileHistory(archive.dataDir), "a")).title).toBe("Größer");
    await renameTask(fileHistory(archive.dataDir), "a", " ");
    await renameTask(fileHistory(archive.dataDir), "a", "");
    expect((await readTask(fileHistory(archive.dataDir), "a")).title).toBe("go");
    expect(readdirSync(archive.folder("a"))).toEqual(["journal.jsonl"]);
  });

  test.each([["two\nlines"], ["a \u001b[2J colour"], ["x".repeat(201)]])("%j is rejected", async (name) => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    await expect(renameTask(fileHistory(archive.dataDir), "a", name)).rejects.toMatchObject({
      code: "NAME_INVALID",
    });
    expect(readdirSync(archive.folder("a"))).toEqual(["journal.jsonl"]);
  });

  test("of an unknown task is rejected", async () => {
    using archive = new Archive();
    await expect(renameTask(fileHistory(archive.dataDir), "a", "b")).rejects.toMatchObject({
      code: "TASK_UNKNOWN",
    });
    expect(readdirSync(archive.dataDir)).toEqual([]);
  });
});

describe("a deletion", () => {
  test("removes the folder of the task, and returns its remaining subtasks", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    archive.write("a.1", [started("help")], parent("a", "a"));
    archive.write("a.1.1", [started("help")], parent("a.1", "a"));
    archive.write("b", [started("other")]);
    mkdirSync(path.join(archive.folder("a"), "output"));
    writeFileSync(path.join(archive.folder("a"), "output/1.txt"), "long");
    expect(await deleteTask(fileHistory(archive.dataDir), "a")).toEqual({
      deleted: ["a"],
      remaining: ["a.1", "a.1.1"],
    });
    expect(readdirSync(path.join(archive.dataDir, "tasks")).toSorted()).toEqual([
      ".task-index",
      "a.1",
      "a.1.1",
      "b",
    ]);
  });

  test("removes subtasks before their parents if recursive", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    archive.write("a.1", [started("help")], parent("a", "a"));
    archive.write("a.1.1", [started("help")], parent("a.1", "a"));
    expect(await deleteTask(fileHistory(archive.dataDir), "a", { recursive: true })).toEqual({
      deleted: ["a.1.1", "a.1", "a"],
      remaining: [],
    });
    expect(readdirSync(path.join(archive.dataDir, "tasks"))).toEqual([".task-index"]);
  });

  test("of an open task is rejected, and nothing is deleted", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    archive.write("a.1", [started("help")], parent("a", "a"));
    const driver = fileJournal({ dir: archive.folder("a") });
    await driver.own();
    const before = archive.hash;
    await expect(deleteTask(fileHistory(archive.dataDir), "a", { recursive: true })).rejects.toMatchObject({
      code: "JOURNAL_LOCKED",
      message: expect.stringContaining(String(process.pid)),
    });
    expect(archive.hash).toBe(before);
    await driver.close();
  });

  test("removes folders that an earlier crash left, which are not listed", async () => {
    using archive = new Archive();
    archive.write(".deleted-x-1", [started("go")]);
    archive.write("a", [started("go")]);
    expect(await listTasks({ dataDir: archive.dataDir })).toHaveLength(1);
    await deleteTask(fileHistory(archive.dataDir), "a");
    expect(readdirSync(path.join(archive.dataDir, "tasks"))).toEqual([".task-index"]);
    await expect(deleteTask(fileHistory(archive.dataDir), "a")).rejects.toMatchObject({
      code: "TASK_UNKNOWN",
    });
    expect(existsSync(archive.folder("a"))).toBe(false);
  });
});

describe("an id prefix", () => {
  test.each([
    ["abc1", "abc1"],
    ["abc1.1", "abc1.1"],
    ["abc1-", "abc1-x"],
    ["abd", "abd2"],
    ["abd.1", "abd2.1"],
  ])("%s finds %s", async (given, id) => {
    using archive = new Archive();
    for (const taskId of ["abc1", "abc1.1", "abc1-x", "abd2", "abd2.1"])
      archive.write(taskId, [started("go")]);
    expect(await findTask(fileHistory(archive.dataDir), given)).toBe(id);
  });

  test("of several tasks, or of none, is rejected", async () => {
    using archive = new Archive();
    for (const id of ["abc", "abd"]) archive.write(id, [started("go")]);
    await expect(findTask(fileHistory(archive.dataDir), "ab")).rejects.toMatchObject({
      code: "TASK_AMBIGUOUS",
      message: expect.stringContaining("abc, abd"),
    });
    await expect(findTask(fileHistory(archive.dataDir), "x")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    await expect(findTask(fileHistory(archive.dataDir), "../x")).rejects.toMatchObject({
      code: "ID_INVALID",
    });
  });
});
