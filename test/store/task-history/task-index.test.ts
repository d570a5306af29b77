import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { deleteTask } from "../../../store/task-history/deletion.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { readIndex, writeIndex } from "../../../store/task-history/task-index.ts";
import { listTasks } from "../../../store/task-history/task-list.ts";
import { Archive, commit, started } from "./data-folder.ts";

/** Two tasks that were listed: `a` of the prompt "go" and `b`. */
async function listed(): Promise<Archive> {
  const archive = new Archive();
  put(archive, "go");
  archive.write("b", [started("help")], { workspace: "/b" });
  await titles(archive);
  return archive;
}

/** Write task `a`, with a modification time that is always the same. */
function put(archive: Archive, prompt: string): void {
  archive.write("a", [started(prompt)]);
  utimesSync(archive.journal("a"), 1_000, 1_000);
}

const titles = async ({ dataDir }: Archive) => (await listTasks({ dataDir })).map(({ title }) => title);

describe("the index of the task list", () => {
  test("replaces reading a journal of the same size and modification time", async () => {
    using archive = await listed();
    put(archive, "no");
    expect(await titles(archive)).toEqual(["go", "help"]);
  });

  test("is private, and not written again while nothing changes", async () => {
    using archive = await listed();
    const { ino, mode } = statSync(archive.index);
    if (process.platform !== "win32") expect(mode & 0o777).toBe(0o600);
    for (const options of [{}, { workspace: "/b" }, { limit: 1 }])
      await listTasks({ dataDir: archive.dataDir, ...options });
    expect(statSync(archive.index).ino).toBe(ino);
  });

  test("is written again when it is missing", async () => {
    using archive = await listed();
    const before = readFileSync(archive.index, "utf8");
    rmSync(archive.index);
    expect(await titles(archive)).toEqual(["go", "help"]);
    expect(readFileSync(archive.index, "utf8")).toBe(before);
  });

  test.each([
    ["size", (archive: Archive) => put(archive, "stop")],
    [
      "modification time",
      (archive: Archive) => {
        put(archive, "no");
        utimesSync(archive.journal("a"), 1_000, 2_000);
      },
    ],
  ])("is updated when a journal has another %s", async (_name, change) => {
    using archive = await listed();
    change(archive);
    const expected = await titles(archive);
    expect(expected).not.toContain("go");
    const { ino } = statSync(archive.index);
    expect(await titles(archive)).toEqual(expected);
    expect(statSync(archive.index).ino).toBe(ino);
  });

  test("is updated after an append", async () => {
    using archive = await listed();
    archive.write("b", [started("help"), commit(2, { after: "resumable" })], { workspace: "/b" });
    const tasks = await listTasks({ dataDir: archive.dataDir });
    expect(tasks).toMatchObject([{ id: "b", state: "resumable", lastSeq: 2 }, { id: "a" }]);
  });

  test.each([
    ["changed", (text: string) => text.replace("help", "hell")],
    ["cut", (text: string) => text.slice(0, -10)],
    ["empty", () => ""],
    ["of another version", (text: string) => `0${text}`],
    ["without tasks", () => "1 0\n"],
  ])("is written again when it is damaged: %s", async (_name, damage) => {
    using archive = await listed();
    const before = readFileSync(archive.index, "utf8");
    writeFileSync(archive.index, damage(before));
    expect(await titles(archive)).toEqual(["go", "help"]);
    expect(readFileSync(archive.index, "utf8")).toBe(before);
  });

  test("drops tasks that no longer exist, and texts of deleted tasks at once", async () => {
    using archive = await listed();
    rmSync(archive.folder("b"), { recursive: true });
    expect(await titles(archive)).toEqual(["go"]);
    expect(readFileSync(archive.index, "utf8")).not.toContain("help");
    await deleteTask(fileHistory(archive.dataDir), "a");
    expect(readFileSync(archive.index, "utf8")).not.toContain("go");
  });

  test("has no task that is deleted while it is written", async () => {
    using archive = await listed();
    const index = await readIndex(archive.dataDir);
    rmSync(archive.folder("a"), { recursive: true });
    await writeIndex(archive.dataDir, index);
    expect([...(await readIndex(archive.dataDir)).keys()]).toEqual(["b"]);
  });

  test("may be impossible to read and to write", async () => {
    using archive = await listed();
    rmSync(archive.index);
    mkdirSync(archive.index);
    expect(await titles(archive)).toEqual(["go", "help"]);
    expect(readdirSync(path.dirname(archive.index)).toSorted()).toEqual([".task-index", "a", "b"]);
  });

  test("is whole after concurrent lists", async () => {
    using archive = await listed();
    const before = readFileSync(archive.index, "utf8");
    rmSync(archive.index);
    for (const all of await Promise.all(Array.from({ length: 8 }, () => titles(archive))))
      expect(all).toEqual(["go", "help"]);
    expect(readFileSync(archive.index, "utf8")).toBe(before);
    expect(readdirSync(path.dirname(archive.index)).toSorted()).toEqual([".task-index", "a", "b"]);
  });
});
