import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { FolderCounter } from "../../cli/verify/folder-counter.ts";
import { countRecorded } from "../../cli/verify/recorded-counts.ts";
import { type RecordedCounts, TransitionCounter } from "../../cli/verify/transition-counter.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import type { JournalPlace } from "../../ports/journal.ts";
import { fileJournal } from "../../store/index.ts";
import { temporaryFolder } from "./process.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const JOURNAL = "test/fixtures/journals/2026-11/task.jsonl";
const LINES = readFileSync(JOURNAL, "utf8").match(/.*\n/g) ?? [];
const textOf = (from: number, to = LINES.length): string => LINES.slice(from, to).join("");

let folders = 0;

/** A data folder, and the path of the journal of a task in it. */
function dataFolder() {
  folders += 1;
  const dataDir = path.join(folder.path, `data-${folders}`);
  const journalOf = (id: string): string => {
    mkdirSync(path.join(dataDir, "tasks", id), { recursive: true });
    return path.join(dataDir, "tasks", id, "journal.jsonl");
  };
  return { dataDir, journalOf };
}

/** Counts in no order. */
const sorted = ({ tasks, transitions }: RecordedCounts) => ({
  tasks,
  transitions: new Map([...transitions].sort()),
});

describe("the counts of tasks that run", () => {
  test("are the counts of their whole journals after each growth, and each record is read once (L17)", async () => {
    const { journalOf } = dataFolder();
    const file = journalOf("task");
    const driver = fileJournal({ dir: path.dirname(file) });
    const starts: number[] = [];
    const open = () => ({
      path: driver.path,
      read: () => expect.fail("the journal is read from its beginning"),
      async readAfter(place: JournalPlace) {
        const growth = (await driver.readAfter?.(place)) ?? expect.fail("no readAfter");
        starts.push(growth.from.bytes);
        return growth;
      },
    });
    const counter = new TransitionCounter(taskMachine);
    const ends = [1, 5, 20, 21, LINES.length];
    for (const [index, end] of ends.entries()) {
      appendFileSync(file, textOf(ends[index - 1] ?? 0, end));
      await counter.add("task", open);
      const whole = await countRecorded(file, taskMachine);
      expect(sorted(counter.counts)).toEqual(sorted(whole));
      expect(counter.counts.tasks).toMatchObject({ tasks: 1, events: end });
    }
    expect(starts).toEqual([0, ...ends.slice(0, -1).map((end) => Buffer.byteLength(textOf(0, end)))]);
  });

  test("replace the counts of a journal that was replaced, and lack the counts of a deleted task", async () => {
    const { dataDir, journalOf } = dataFolder();
    writeFileSync(journalOf("task"), textOf(0));
    copyFileSync("test/fixtures/journals/2026-11/task.1.jsonl", journalOf("task.1"));
    const counter = new FolderCounter(dataDir, taskMachine);
    const both = await counter.count();
    expect(both.tasks.tasks).toBe(2);
    writeFileSync(`${journalOf("task")}.new`, textOf(0, 10));
    renameSync(`${journalOf("task")}.new`, journalOf("task"));
    const replaced = await counter.count(["task"]);
    expect(replaced.tasks.events).toBe(both.tasks.events - LINES.length + 10);
    expect(sorted(replaced)).toEqual(sorted(await new FolderCounter(dataDir, taskMachine).count()));
    rmSync(path.dirname(journalOf("task.1")), { recursive: true });
    const left = await counter.count(["task.1"]);
    expect(sorted(left)).toEqual(sorted(await countRecorded(journalOf("task"), taskMachine)));
    rmSync(path.dirname(journalOf("task")), { recursive: true });
    const none = { tasks: 0, events: 0, states: {}, edges: {}, damaged: [] };
    expect(await counter.count()).toEqual({ tasks: none, transitions: new Map() });
  });

  test("grow by the changed tasks only, unless all are counted, and concurrent calls count no record twice", async () => {
    const { dataDir, journalOf } = dataFolder();
    const counter = new FolderCounter(dataDir, taskMachine);
    writeFileSync(journalOf("one"), textOf(0, 10));
    writeFileSync(journalOf("other"), textOf(0));
    await counter.count(["one"]);
    appendFileSync(journalOf("one"), textOf(10));
    const calls = [counter.count(["one"]), counter.count(["one", ".index"]), counter.count()];
    const counts = await Promise.all(calls);
    expect(counts.map(({ tasks }) => tasks.tasks)).toEqual([1, 1, 2]);
    expect(counts.at(-1)?.tasks.events).toBe(2 * LINES.length);
  });

  test("name a damaged task once, and no longer after it was replaced", async () => {
    const { dataDir, journalOf } = dataFolder();
    const counter = new FolderCounter(dataDir, taskMachine);
    writeFileSync(journalOf("task"), `${textOf(0, 3)}damaged\n${textOf(4)}`);
    writeFileSync(journalOf("other"), `${textOf(4)}`);
    for (const _ of [1, 2]) {
      const { tasks } = await counter.count();
      expect({ ...tasks, damaged: tasks.damaged.toSorted() }).toMatchObject({
        events: 3,
        damaged: ["other", "task"],
      });
    }
    writeFileSync(journalOf("task"), textOf(0));
    expect((await counter.count(["task"])).tasks).toMatchObject({ events: LINES.length, damaged: ["other"] });
  });
});
