import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TaskObjects } from "../../../ports/objects.ts";
import { filesSide } from "../../../store/postgres/move/files.ts";
import { moveTasks } from "../../../store/postgres/move/move.ts";
import type { JournalSide } from "../../../store/postgres/move/side.ts";
import { Archive, started } from "../task-history/data-folder.ts";

let source: Archive;
let target: Archive;
beforeEach(() => {
  [source, target] = [new Archive(), new Archive()];
  source.write("task", [started("Go")]);
  mkdirSync(path.join(source.folder("task"), "output"));
  writeFileSync(path.join(source.folder("task"), "output", "1.log"), "all of it");
});
afterEach(() => {
  source[Symbol.dispose]();
  target[Symbol.dispose]();
});

/** A target whose objects a test replaces. */
function withObjects(dataDir: string, replaced: (objects: TaskObjects) => TaskObjects): JournalSide {
  const side = filesSide(dataDir);
  return {
    ...side,
    async hold(id) {
      const held = await side.hold(id);
      return { ...held, objects: replaced(held.objects) };
    },
  };
}

async function move(to: JournalSide): Promise<void> {
  for await (const _ of moveTasks(filesSide(source.dataDir), to)) {
    // Each task.
  }
}

test("an object that is read back with other bytes ends the move before the original is marked", async () => {
  async function* damaged(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) yield chunk.subarray(1);
  }
  const damaging = withObjects(target.dataDir, (objects) => ({
    list: (folder) => objects.list(folder),
    read: (name, from) => objects.read(name, from),
    put: (name, content) => objects.put(name, damaged(content)),
  }));
  await expect(move(damaging)).rejects.toMatchObject({
    code: "OBJECT_IO",
    message: expect.stringContaining("the original is unchanged"),
  });
  expect(existsSync(path.join(source.folder("task"), "moved"))).toBe(false);
  expect(existsSync(target.journal("task"))).toBe(false);
});

test("an object that the target has already is not copied again, and one with other bytes is replaced", async () => {
  const names: string[] = [];
  const counting = withObjects(target.dataDir, (objects) => ({
    list: (folder) => objects.list(folder),
    read: (name, from) => objects.read(name, from),
    put: (name, content) => {
      names.push(name);
      return objects.put(name, content);
    },
  }));
  const output = path.join(target.folder("task"), "output");
  mkdirSync(output, { recursive: true });
  writeFileSync(path.join(source.folder("task"), "output", "2.log"), "second");
  writeFileSync(path.join(output, "1.log"), "all of it");
  writeFileSync(path.join(output, "2.log"), "others");
  await move(counting);
  expect(names).toEqual(["output/2.log"]);
});
