import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventsOfTask, type RecordedSubtasks, subtasksOf } from "../../../cli/show/task-events.ts";
import { openFiles } from "../../../cli/task-store.ts";
import { hasNoWork } from "../../../machines/message/states.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import { TraceLog } from "../../../visualize/trace/index.ts";
import { type NestedTraces, recordNested } from "../../page/nested.ts";
import { temporaryFolder } from "../process.ts";

const folder = temporaryFolder();
let nested: NestedTraces;
beforeAll(async () => {
  nested = await recordNested(folder.path);
});
afterAll(() => folder.remove());

const journalOf = (id: string): string => path.join(taskFolder(folder.path, id), "journal.jsonl");
async function read(): Promise<RecordedSubtasks> {
  const [root] = nested.ids;
  const store = openFiles(folder.path);
  return subtasksOf(root, await eventsOfTask({ id: root }, store), store);
}

describe("the subtasks of a recorded task in its page", () => {
  it("are there at any depth, each settled as it would be opened (L1)", async () => {
    const { events, failures, omitted } = await read();
    expect([failures, omitted]).toEqual([[], undefined]);
    expect([...new Set(events.map(({ taskId }) => taskId))]).toEqual(nested.ids.slice(1));
    for (const id of nested.ids.slice(1)) {
      const trace = new TraceLog(
        id,
        events.filter(({ taskId }) => taskId === id),
      );
      expect(hasNoWork(trace.moment(trace.length - 1).state), id).toBe(true);
    }
  });

  it("end where a journal is damaged, and are named if they are missing", async () => {
    const [, child, grandchild] = nested.ids;
    const lines = readFileSync(journalOf(grandchild), "utf8").split("\n");
    writeFileSync(journalOf(grandchild), [...lines.slice(0, 3), "damaged", ...lines.slice(4)].join("\n"));
    const damaged = await read();
    expect(damaged.failures).toEqual([expect.stringMatching(`^${grandchild}: from line 4 on: `)]);
    expect(damaged.events.some(({ taskId }) => taskId === grandchild)).toBe(true);
    rmSync(taskFolder(folder.path, grandchild), { recursive: true });
    const missing = await read();
    expect(missing.failures).toEqual([expect.stringMatching(`^${grandchild}: `)]);
    expect([...new Set(missing.events.map(({ taskId }) => taskId))]).toEqual([child]);
  });
});
