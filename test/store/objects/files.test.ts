import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileJournal, fileObjects } from "../../../store/index.ts";
import { deleteTask } from "../../../store/task-history/deletion.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import type { TestedObjects } from "../../../testing/index.ts";
import { header, lines } from "../../testing/conformance.ts";
import { conformanceOfObjects } from "../../testing/objects-conformance.ts";

describe("objects in files", () => {
  let dataDir = "";
  let tasks = 0;
  const ids = new Map<TestedObjects, string>();
  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), "objects-"));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  const idOf = (tested: TestedObjects): string => ids.get(tested) ?? "";
  function open(id: string): TestedObjects {
    const dir = taskFolder(dataDir, id);
    const tested = { objects: fileObjects({ dir }), driver: fileJournal({ dir }) };
    ids.set(tested, id);
    return tested;
  }

  conformanceOfObjects("the files of a task", {
    make: async () => {
      tasks += 1;
      return open(`task-${tasks}`);
    },
    another: async (tested) => open(idOf(tested)),
    deleteTask: async (tested) => {
      // Only a task with a journal can be deleted.
      const driver = fileJournal({ dir: taskFolder(dataDir, idOf(tested)) });
      await driver.append(lines(header));
      await driver.close();
      await deleteTask(fileHistory(dataDir), idOf(tested));
    },
  });

  test("an object is a private file of the task's folder, under its name, and a put leaves no other file", async () => {
    const { objects, driver } = open("layout");
    await driver.own();
    await objects.put(
      "output/1.log",
      (async function* () {
        yield Buffer.from("content");
      })(),
    );
    const folder = path.join(taskFolder(dataDir, "layout"), "output");
    expect(await readdir(folder)).toEqual(["1.log"]);
    expect(await readFile(path.join(folder, "1.log"), "utf8")).toBe("content");
    expect((await stat(path.join(folder, "1.log"))).mode & 0o777).toBe(0o600);
    await driver.close();
  });
});
