import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { deleteTask, fileJournal, findTask, listTasks, readTask, renameTask } from "../../../store/index.ts";
import { Archive, started } from "./data-folder.ts";

const parent = (taskId: string, rootId: string) => ({ parent: { taskId, rootId, callId: "c" } });

describe("a name", () => {
  test("lies beside the journal, is given while the task is open, and its journal stays as it is", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    const before = archive.bytes("a");
    const driver = fileJournal({ dir: archive.folder("a") });
    await driver.own();
    await renameTask(archive.dataDir, "a", "  Größer  ");
    await driver.close();
    expect(archive.bytes("a")).toEqual(before);
    expect(readdirSync(archive.folder("a")).toSorted()).toEqual(["journal.jsonl", "title"]);
    expect(readFileSync(path.join(archive.folder("a"), "title"), "utf8")).toBe("Größer\n");
    expect((await readTask(archive.dataDir, "a")).title).toBe("Größer");
    await renameTask(archive.dataDir, "a", " ");
    await renameTask(archive.dataDir, "a", "");
    expect((await readTask(archive.dataDir, "a")).title).toBe("go");
    expect(readdirSync(archive.folder("a"))).toEqual(["journal.jsonl"]);
  });

  test.each([["two\nlines"], ["a \u001b[2J colour"], ["x".repeat(201)]])(
    "of another form is refused: %j",
    async (name) => {
      using archive = new Archive();
      archive.write("a", [started("go")]);
      await expect(renameTask(archive.dataDir, "a", name)).rejects.toMatchObject({ code: "NAME_INVALID" });
      expect(readdirSync(archive.folder("a"))).toEqual(["journal.jsonl"]);
    },
  );

  test("is not given to a task that isn't there", async () => {
    using archive = new Archive();
    await expect(renameTask(archive.dataDir, "a", "b")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    expect(readdirSync(archive.dataDir)).toEqual([]);
  });
});

describe("a deletion", () => {
  test("takes the task and all that lies with it, and says which subtasks are left", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    archive.write("a.1", [started("help")], parent("a", "a"));
    archive.write("a.1.1", [started("help")], parent("a.1", "a"));
    archive.write("b", [started("other")]);
    mkdirSync(path.join(archive.folder("a"), "output"));
    writeFileSync(path.join(archive.folder("a"), "output/1.txt"), "long");
    expect(await deleteTask(archive.dataDir, "a")).toEqual({ deleted: ["a"], remaining: ["a.1", "a.1.1"] });
    expect(readdirSync(path.join(archive.dataDir, "tasks")).toSorted()).toEqual(["a.1", "a.1.1", "b"]);
  });

  test("takes the subtasks too where that is asked for, before whom they work for", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    archive.write("a.1", [started("help")], parent("a", "a"));
    archive.write("a.1.1", [started("help")], parent("a.1", "a"));
    expect(await deleteTask(archive.dataDir, "a", { recursive: true })).toEqual({
      deleted: ["a.1.1", "a.1", "a"],
      remaining: [],
    });
    expect(readdirSync(path.join(archive.dataDir, "tasks"))).toEqual([]);
  });

  test("of a task that is open is refused, and then nothing is deleted", async () => {
    using archive = new Archive();
    archive.write("a", [started("go")]);
    archive.write("a.1", [started("help")], parent("a", "a"));
    const driver = fileJournal({ dir: archive.folder("a") });
    await driver.own();
    const before = archive.print;
    await expect(deleteTask(archive.dataDir, "a", { recursive: true })).rejects.toMatchObject({
      code: "JOURNAL_LOCKED",
      message: expect.stringContaining(String(process.pid)),
    });
    expect(archive.print).toBe(before);
    await driver.close();
  });

  test("sweeps what a crash left of one before, which is no task to anybody", async () => {
    using archive = new Archive();
    archive.write(".deleted-x-1", [started("go")]);
    archive.write("a", [started("go")]);
    expect(await listTasks({ dataDir: archive.dataDir })).toHaveLength(1);
    await deleteTask(archive.dataDir, "a");
    expect(readdirSync(path.join(archive.dataDir, "tasks"))).toEqual([]);
    await expect(deleteTask(archive.dataDir, "a")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    expect(existsSync(archive.folder("a"))).toBe(false);
  });
});

describe("the beginning of an id", () => {
  test.each([
    ["abc1", "abc1"],
    ["abc1.1", "abc1.1"],
    ["abc1-", "abc1-x"],
    ["abd", "abd2"],
    ["abd.1", "abd2.1"],
  ])("%s means %s", async (given, id) => {
    using archive = new Archive();
    for (const one of ["abc1", "abc1.1", "abc1-x", "abd2", "abd2.1"]) archive.write(one, [started("go")]);
    expect(await findTask(archive.dataDir, given)).toBe(id);
  });

  test("of several tasks, or of none, means nothing", async () => {
    using archive = new Archive();
    for (const id of ["abc", "abd"]) archive.write(id, [started("go")]);
    await expect(findTask(archive.dataDir, "ab")).rejects.toMatchObject({
      code: "TASK_AMBIGUOUS",
      message: expect.stringContaining("abc, abd"),
    });
    await expect(findTask(archive.dataDir, "x")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    await expect(findTask(archive.dataDir, "../x")).rejects.toMatchObject({ code: "ID_INVALID" });
  });
});
