import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { WakeSignal } from "../../actors/protocol/wake-signal.ts";
import { SubtaskTraces } from "../../server/traces/subtask-traces.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { allowEverything } from "../../tools/index.ts";
import { omittedSubtasksSchema, traceEventSchema } from "../../wire/http/trace.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { MODES, NESTED_SCRIPT } from "../support/subtasks.ts";
import { isLive, Served, type ServedOptions, type Sse, SseReader } from "./support.ts";

const TASK = { permissions: { judge: allowEverything() }, modes: MODES };

/** A server with three nested tasks. The innermost asks a question. */
async function openNested(options: Partial<ServedOptions> = {}) {
  const served = await Served.open({ script: NESTED_SCRIPT, task: TASK, ...options });
  const list = await SseReader.open(served, "/api/events");
  const { id } = await served.create("Do it");
  await list.until(({ data }) => data.includes(`"${id}.1.1"`) && data.includes('"kind":"followup"'));
  list.close();
  return { served, ids: [id, `${id}.1`, `${id}.1.1`] as const };
}

const follow = (served: Served, id: string, lastEventId?: string) =>
  SseReader.open(served, `/api/tasks/${id}/events?subtasks=true`, lastEventId);

/** The task of an event of a subtask. */
const subtaskOf = ({ event, data }: Sse): string | undefined =>
  event === "subtask" ? traceEventSchema.parse(JSON.parse(data)).taskId : undefined;

/** Whether it is an event of a task in which this happens. */
const happens =
  (taskId: string, type: string) =>
  (event: Sse): boolean =>
    subtaskOf(event) === taskId && event.data.includes(`"type":"${type}"`);

/** The numbers of the events of each subtask, in the order in which the tasks came. */
function numbersOf(events: readonly Sse[]): ReadonlyMap<string, readonly number[]> {
  const numbers = new Map<string, number[]>();
  for (const event of events) {
    const taskId = subtaskOf(event);
    if (taskId === undefined) continue;
    const known = numbers.get(taskId) ?? [];
    numbers.set(taskId, known);
    known.push(traceEventSchema.parse(JSON.parse(event.data)).seq);
  }
  return numbers;
}

describe("a reader of a task with its subtasks that continues at a position", () => {
  it("stops reading the earlier records once the client has left", async () => {
    const record: JournalRecord = { seq: 0, kind: "version", at: 1, version: 3 };
    const signal = new WakeSignal();
    let read = 0;
    const traces = new SubtaskTraces(signal, {
      taskId: "a",
      limits: { traces: 1, events: 1 },
      async *own() {
        yield { type: "live" };
      },
      async *ofSubtask() {},
      async *earlier() {
        for (; read < 9; read += 1) {
          if (read === 3) signal.abort();
          yield record;
        }
      },
    });
    const items: unknown[] = [];
    for await (const item of traces.items()) items.push(item);
    expect(items).toEqual([{ type: "live" }]);
    expect(read).toBe(3);
  });
});

describe("the stream of a task with its subtasks", () => {
  it("has the past of the task, then the past of each subtask, of any depth, without a gap, and then what happens", async () => {
    const { served, ids } = await openNested();
    await using _ = served;
    const [root, child, grandchild] = ids;
    const stream = await follow(served, root);
    const own = await stream.until(isLive);
    expect(own.some(({ event }) => event === "subtask")).toBe(false);
    const past = await stream.until(happens(grandchild, "call.reviewed"));
    const ask = served.host.tasks.get(grandchild)?.asks[0];
    if (ask?.kind !== "question") throw new Error("The subtask asks no question.");
    ask.answer("left");
    const live = await stream.until(
      (event) => event.event === "message" && event.data.includes("subtask.ended"),
    );
    const numbers = numbersOf([...past, ...live]);
    expect([...numbers.keys()]).toEqual([child, grandchild]);
    for (const seqs of numbers.values()) expect(seqs).toEqual(seqs.map((_seq, position) => position));
    expect(live.some(happens(grandchild, "ask.answered"))).toBe(true);
    expect(live.some(happens(child, "subtask.ended"))).toBe(true);
    stream.close();
    expect(served.errors).toEqual([]);
  });

  it("has no event after the end of a subtask that closes its last ask again (L8)", async () => {
    const { served, ids } = await openNested();
    await using _ = served;
    const [root, , grandchild] = ids;
    const stream = await follow(served, root);
    const past = await stream.until(happens(grandchild, "call.reviewed"));
    const ask = served.host.tasks.get(grandchild)?.asks[0];
    if (ask?.kind === "question") ask.answer("left");
    const rest = await stream.until(
      (event) => event.event === "message" && event.data.includes("idle.completing"),
    );
    const closings = [...past, ...rest]
      .filter((event) => subtaskOf(event) === grandchild)
      .flatMap(({ data }) => data.match(/"closing":"expired"/g) ?? []);
    expect(closings).toHaveLength(1);
    stream.close();
  });

  it("has no events of subtasks if the client does not want them", async () => {
    const { served, ids } = await openNested();
    await using _ = served;
    const [root, , grandchild] = ids;
    const stream = await SseReader.open(served, `/api/tasks/${root}/events`);
    await stream.until(isLive);
    const ask = served.host.tasks.get(grandchild)?.asks[0];
    if (ask?.kind === "question") ask.answer("left");
    const live = await stream.until(({ data }) => data.includes("subtask.ended"));
    expect(live.map(({ event }) => event)).not.toContain("subtask");
    stream.close();
  });

  it("begins the subtasks anew after a lost connection, while the task continues where it was", async () => {
    const { served, ids } = await openNested();
    await using _ = served;
    const [root, child, grandchild] = ids;
    const first = await follow(served, root);
    const newest = (await first.until(isLive)).findLast(({ id }) => id !== undefined)?.id;
    first.close();
    const again = await follow(served, root, newest);
    const events = await again.until(happens(grandchild, "call.reviewed"));
    expect(events.filter(({ event }) => event === "message")).toEqual([]);
    expect([...numbersOf(events)].map(([taskId, [seq]]) => [taskId, seq])).toEqual([
      [child, 0],
      [grandchild, 0],
    ]);
    again.close();
  });

  it("has the traces of recorded tasks, and says which subtask can't be read", async () => {
    const { served, ids } = await openNested();
    await using _ = served;
    const [root, child, grandchild] = ids;
    await served.restart();
    // A folder in place of the file can't be read.
    const journal = path.join(taskFolder(served.dataDir, grandchild), "journal.jsonl");
    await rm(journal);
    await mkdir(journal);
    const stream = await follow(served, root);
    const events = await stream.until(({ event }) => event === "subtask.failed");
    expect([...numbersOf(events).keys()]).toEqual([child]);
    expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({ taskId: grandchild, code: "JOURNAL_IO" });
    stream.close();
    expect(served.errors).toEqual([]);
  });

  it("ends a subtask where its journal is damaged, without an error, and goes on with the next one", async () => {
    const { served, ids } = await openNested();
    await using _ = served;
    const [root, child, grandchild] = ids;
    await served.restart();
    const journal = path.join(taskFolder(served.dataDir, child), "journal.jsonl");
    const lines = (await readFile(journal, "utf8")).split("\n");
    const damaged = 1 + lines.findIndex((line) => line.includes(`"childId":"${grandchild}"`));
    expect(lines[damaged]).toContain('"kind":"commit"');
    await writeFile(journal, lines.with(damaged, "damaged").join("\n"));
    const stream = await follow(served, root);
    const events = await stream.until(happens(grandchild, "call.reviewed"));
    const numbers = numbersOf(events);
    expect([...numbers.keys()]).toEqual([child, grandchild]);
    expect(numbers.get(child)).toHaveLength(damaged);
    expect(events.map(({ event }) => event)).not.toContain("subtask.failed");
    stream.close();
    expect(served.errors).toEqual([]);
  });

  it.each([
    ["subtasks", { subtaskTraces: 1 }, { count: 1, limit: "traces", max: 1 }],
    ["their events", { subtaskEvents: 5 }, { count: 1, limit: "events", max: 5 }],
  ] as const)(
    "says how many subtasks are omitted at the limit of %s (L14)",
    async (_name, bounds, expected) => {
      const { served, ids } = await openNested({ bounds });
      await using _ = served;
      const stream = await follow(served, ids[0]);
      const events = await stream.until(({ event }) => event === "subtasks.omitted");
      expect([...numbersOf(events).keys()]).toEqual([ids[1]]);
      expect(omittedSubtasksSchema.parse(JSON.parse(events.at(-1)?.data ?? ""))).toEqual(expected);
      stream.close();
    },
  );
});
