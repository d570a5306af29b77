import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCheckpoints } from "../../../adapters/checkpoints/checkpoints.ts";
import type { JournalDriver } from "../../../ports/journal.ts";
import type { TaskObjects } from "../../../ports/objects.ts";
import { fileJournal, fileObjects, ObjectError } from "../../../store/index.ts";
import { checkpointsOf, createFolders, done, type Folders, put, treeOf } from "./tree.ts";

/** The machine that saves, and another one with its own folders. Both have the same store of objects. */
let here: Folders;
let there: Folders;
let journal: JournalDriver;
let objects: TaskObjects;
beforeEach(async () => {
  [here, there] = [createFolders(), createFolders()];
  const dir = path.join(here.dataDir, "task");
  journal = fileJournal({ dir });
  await journal.own();
  objects = fileObjects({ dir });
});
afterEach(async () => {
  await journal.close();
  here.remove();
  there.remove();
});

const bundleFolder = (): string => path.join(here.dataDir, "task", "checkpoints");
const bundles = (): string[] => readdirSync(bundleFolder()).sort();
const bundleFile = (index: number): string => path.join(bundleFolder(), bundles()[index] ?? "");

/** Save these states of the workspace, one after the other. Returns the hash and the files of each. */
async function saveStates(
  { workspace, dataDir }: Folders,
  states: readonly Record<string, string | Buffer>[],
) {
  const checkpoints = await checkpointsOf({ ...here, workspace, dataDir }, { objects });
  const saved: { hash: string; files: Record<string, string> }[] = [];
  for (const state of states) {
    for (const [file, content] of Object.entries(state)) put(workspace, file, content);
    saved.push({ hash: done(await checkpoints.save()).hash, files: treeOf(workspace) });
  }
  return saved;
}

const STATES = [
  { "a.txt": "one\n", "data/b.bin": Buffer.from([0, 255, 10, 13]) },
  { "a.txt": "two\n", "c.txt": "new\n" },
  { "data/b.bin": Buffer.from([1]), "c.txt": "newer\n" },
];

test("a machine without the repository restores each stored checkpoint, with its hash and byte for byte", async () => {
  const saved = await saveStates(here, STATES);
  expect(bundles()).toHaveLength(3);
  const checkpoints = await checkpointsOf(there, { objects });
  for (const { hash, files } of [...saved, ...saved.toReversed()]) {
    done(await checkpoints.restore(hash));
    expect(treeOf(there.workspace)).toEqual(files);
  }
});

test("a bundle has only what the checkpoint before lacks", async () => {
  const large = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}.bin`, randomBytes(25_000)]));
  await saveStates(here, [large, { "1.bin": "changed" }]);
  expect(statSync(bundleFile(0)).size).toBeGreaterThan(1_000_000);
  expect(statSync(bundleFile(1)).size).toBeLessThan(10_000);
});

test("another machine continues after the last stored checkpoint, and a third one restores all", async () => {
  const first = await saveStates(here, STATES);
  put(there.workspace, "large.bin", randomBytes(200_000));
  const [second] = await saveStates(there, [{ "d.txt": "there\n" }]);
  expect(bundles().map((name) => name.slice(0, 6))).toEqual(["000001", "000002", "000003", "000004"]);
  const third = createFolders();
  const checkpoints = await checkpointsOf(third, { objects });
  for (const { hash } of [...first, ...(second === undefined ? [] : [second])])
    done(await checkpoints.restore(hash));
  expect(treeOf(third.workspace)).toEqual(second?.files);
  third.remove();
});

test("a repository reads only the bundles of checkpoints that it lacks", async () => {
  const read: string[] = [];
  const reading: TaskObjects = {
    ...listing(objects),
    read: (name, from) => {
      read.push(path.basename(name));
      return objects.read(name, from);
    },
  };
  await saveStates(here, STATES.slice(0, 2));
  await checkpointsOf(there, { objects: reading });
  await saveStates(here, STATES.slice(2));
  await checkpointsOf(there, { objects: reading });
  await checkpointsOf(here, { objects: reading });
  expect(read).toEqual(bundles());
});

/** The same objects, as an object whose members can be replaced. */
const listing = (original: TaskObjects): TaskObjects => ({
  put: (name, content) => original.put(name, content),
  read: (name, from) => original.read(name, from),
  list: (folder) => original.list(folder),
});

test.each<readonly [string, (index: number) => void, RegExp]>([
  [
    "is truncated",
    (index) => writeFileSync(bundleFile(index), readFileSync(bundleFile(index)).subarray(0, -30)),
    /can't be restored/,
  ],
  ["has other bytes", (index) => writeFileSync(bundleFile(index), randomBytes(500)), /can't be restored/],
  ["is empty", (index) => writeFileSync(bundleFile(index), ""), /can't be restored/],
  ["is missing", (index) => rmSync(bundleFile(index)), /found no bundle 2/],
  [
    "has the content of another one",
    (index) => writeFileSync(bundleFile(index), readFileSync(bundleFile(0))),
    /it has another checkpoint/,
  ],
  [
    "builds on one that is missing, whose number another one has",
    (index) => {
      const [name, before] = [bundleFile(2), bundleFile(index)];
      rmSync(before);
      renameSync(name, name.replace("000003", "000002"));
    },
    /can't be restored/,
  ],
])(
  "checkpoints are off with the reason where a bundle %s, and on where the repository is",
  async (_, damage, reason) => {
    await saveStates(here, STATES);
    damage(1);
    expect(await openCheckpoints({ ...there, objects })).toEqual({ off: expect.stringMatching(reason) });
    expect(await openCheckpoints({ ...there, objects })).toEqual({
      off: expect.stringMatching(/^checkpoints are off: .*Restore files on the machine that saved them\.$/s),
    });
    done(await (await checkpointsOf(here, { objects })).save());
  },
);

test("a checkpoint that can't be stored fails with the reason, and the next one is stored after the last stored one", async () => {
  const failing = {
    ...listing(objects),
    put: () => Promise.reject(new ObjectError("OBJECT_IO", "the-object", "Its storage failed.")),
  };
  await saveStates(here, STATES.slice(0, 1));
  put(here.workspace, "lost.txt", "lost\n");
  const checkpoints = await checkpointsOf(here, { objects: failing });
  const failed = await checkpoints.save();
  expect(failed).toMatchObject({ ok: false, code: "objects", reason: expect.stringContaining("the-object") });
  // It did not become the checkpoint before.
  expect(await checkpoints.save()).toMatchObject({ ok: false, code: "objects" });
  const [saved] = await saveStates(here, [{ "a.txt": "after\n" }]);
  expect(bundles()).toHaveLength(2);
  const restored = await checkpointsOf(there, { objects });
  done(await restored.restore(saved?.hash ?? ""));
  expect(treeOf(there.workspace)).toEqual(saved?.files);
});

test("checkpoints are off with the reason if the objects can't be listed", async () => {
  const list = () => Promise.reject(new ObjectError("OBJECT_IO", "the-list", "Its storage failed."));
  expect(await openCheckpoints({ ...here, objects: { ...listing(objects), list } })).toEqual({
    off: expect.stringContaining("the-list"),
  });
});

test("a save that is cancelled while it is stored ends, and stores nothing", async () => {
  const abort = new AbortController();
  const cancelled: TaskObjects = {
    ...listing(objects),
    put: (name, content) => {
      abort.abort();
      return objects.put(name, content);
    },
  };
  put(here.workspace, "a.txt", "one\n");
  const checkpoints = await checkpointsOf(here, { objects: cancelled });
  expect(await checkpoints.save({ signal: abort.signal })).toMatchObject({ ok: false, code: "stopped" });
  expect(bundles()).toEqual([]);
});
