import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { detectAgentState } from "../../machines/message/detect.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { exportFolder, fileJournal, memoryJournal, readJournal } from "../../store/index.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { traceOfJournal } from "../../visualize/trace/index.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { Disk, type Journals, type Moment, recordRun, withScene } from "./recorded.ts";
import { CHILD_ID, TASK_ID } from "./scenario.ts";
import { hostIn, optionsIn } from "./scenario-run.ts";

let journals: Journals;
let moments: readonly Moment[];
let dir: string;
beforeAll(async () => {
  ({ journals, moments } = await recordRun());
  dir = await mkdtemp(path.join(tmpdir(), "settled-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** The data folder of a process that ended at this moment. */
async function dataFolderAt({ sizes }: Moment, name: string): Promise<string> {
  const dataDir = path.join(dir, name);
  for (const [id, size] of sizes) {
    if (size === 0) continue;
    const folder = taskFolder(dataDir, id);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "journal.jsonl"), journals.get(id)?.subarray(0, size) ?? "");
  }
  return dataDir;
}

/** The states that the forms of a task on disk mean to a foreign reader. */
async function statesOnDisk(dataDir: string, id: string) {
  const history = openHistory({ dataDir });
  const driver = fileJournal({ dir: taskFolder(dataDir, id) });
  const copy = path.join(dataDir, `${id}-copy`);
  await exportFolder(driver, copy);
  const exported: unknown = JSON.parse(await readFile(path.join(copy, "ui_messages.json"), "utf8"));
  const recorded = await history.read(id);
  const records: JournalRecord[] = [];
  for await (const record of readJournal(driver, { onTail: () => undefined })) records.push(record);
  const page = traceOfJournal([...records, ...(recorded.settlement ? [recorded.settlement] : [])]);
  const listed = (await history.list()).find((task) => task.id === id);
  return {
    exported: detectAgentState(Array.isArray(exported) ? exported : []).state,
    shown: detectAgentState(recorded.rows.map(({ row }) => row)).state,
    shownState: recorded.state,
    listed: listed?.state,
    page: page.at(-1)?.record.kind === "commit" ? taskStateOf(page.at(-1)?.record) : undefined,
  };
}

const taskStateOf = (record: unknown): string | undefined =>
  typeof record === "object" && record !== null && "after" in record
    ? String(record.after).split(".", 1)[0]
    : undefined;

test("L1 everywhere: the log of a task that was killed at any record, exported, listed, shown or on a page, means what opening it derives", async () => {
  const seen = new Set<string>();
  await withScene(new Disk(), async ({ place }) => {
    for (const [number, moment] of moments.entries()) {
      const dataDir = await dataFolderAt(moment, String(number));
      const disk = new Disk(
        new Map([...journals].map(([id, bytes]) => [id, bytes.subarray(0, moment.sizes.get(id) ?? 0)])),
      );
      for (const id of [TASK_ID, CHILD_ID]) {
        if ((moment.sizes.get(id) ?? 0) === 0) continue;
        const place_ = `record ${moment.record} of ${moment.taskId}, task ${id}`;
        const host = hostIn(place, (taskId) => memoryJournal({ store: disk.store(taskId) }));
        const opened = await host.open(id, optionsIn(place));
        const state = opened.state.state;
        await host.closeAll();
        if (state === "no_task") continue;
        const states = await statesOnDisk(dataDir, id);
        seen.add(state);
        expect(new Set(Object.values(states)), place_).toEqual(new Set([state]));
      }
      await rm(dataDir, { recursive: true });
    }
  });
  expect(seen).toEqual(new Set(["resumable", "idle"]));
});

test("L1 everywhere: a task that runs in another process shows its live state", async () => {
  await withScene(new Disk(), async ({ place }) => {
    const dataDir = path.join(dir, "live");
    const host = hostIn(place, (taskId) => fileJournal({ dir: taskFolder(dataDir, taskId) }));
    const task = await host.create({
      ...optionsIn(place),
      id: TASK_ID,
      permissions: { judge: () => ({ kind: "ask" }) },
    });
    const waiting = task.run("count");
    waiting.catch(() => undefined);
    await new Promise<void>((resolve) => {
      task.asks$.subscribe(() => resolve());
    });
    const history = openHistory({ dataDir });
    expect(await history.read(TASK_ID)).toMatchObject({ state: task.state.state, isInterrupted: false });
    expect((await history.list())[0]).toMatchObject({ state: task.state.state, isInterrupted: false });
    await host.closeAll();
  });
});
