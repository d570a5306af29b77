import path from "node:path";
import { expect, it } from "vitest";
import { openHistory } from "../../../runtime/task-history/task-history.ts";
import { fileJournal } from "../../../store/index.ts";
import { alignedRows } from "../../../visualize/page/compare/aligned-rows.ts";
import { stepsOf } from "../../../visualize/page/compare/steps.ts";
import { totalsOf } from "../../../visualize/page/compare/totals.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import type { TraceSnapshot } from "../../../visualize/page/model/trace-snapshot.ts";
import { type TraceEvent, traceOfJournal } from "../../../visualize/trace/index.ts";
import { DONE, openRig, type Rig } from "../../support/host.ts";
import { journalOf, liveTask, recordsOf } from "../../support/recorded-traces.ts";

const snapshot = (events: readonly TraceEvent[]): TraceSnapshot =>
  new GrowingTrace(events[0]?.taskId ?? "", events).snapshot();

const traceAt = async ({ dataDir }: Rig, id: string): Promise<TraceSnapshot> =>
  snapshot(traceOfJournal(await recordsOf(fileJournal({ dir: path.join(dataDir, "tasks", id) }))));

const marks = (one: TraceSnapshot, other: TraceSnapshot): readonly string[] =>
  alignedRows(stepsOf(one), stepsOf(other)).map(
    ({ mark, mine, other: others }) => `${mark}: ${mine?.title ?? "-"} | ${others?.title ?? "-"}`,
  );

it("a live trace and the journal of one task have the same steps", async () => {
  const { records, live } = await liveTask();
  const steps = stepsOf(snapshot(live));
  expect(steps.map(({ title }) => title)).toContain("Read a.txt");
  expect(marks(snapshot(live), snapshot(traceOfJournal(records)))).toEqual(
    steps.map(({ title }) => `same: ${title} | ${title}`),
  );
});

it("two forks of one task differ only by what happened in them, and not by times and ids", async () => {
  const write = "{ tool: write_to_file, input: { path: a.txt, content: hello } }";
  await using rig = await openRig({ script: `[${write}, ${DONE}, ${DONE}]` });
  rig.task.run("Write it").catch(() => undefined);
  const ask = await rig.ask("tool");
  await rig.task.flushed();
  const moment = rig.shown.at(-1) ?? expect.fail("no commit");
  ask.approve();
  await rig.ask("completion");
  await rig.task.flushed();
  const history = openHistory({ dataDir: rig.dataDir });
  const { id } = await history.fork(rig.task.id, { at: moment.seq, createdAt: 5 });
  const fork = await rig.host.openFork(id, moment.snapshot, { model: rig.model });
  const settled = fork.settled();
  fork.answer(ask.id, { kind: "no" });
  await settled.catch(() => undefined);
  const rows = marks(snapshot(traceOfJournal(await recordsOf(journalOf(rig)))), await traceAt(rig, id));
  const shared = rows.findIndex((row) => !row.startsWith("same"));
  expect(rows[shared]).toBe("changed: Asked | Asked");
  expect(rows.slice(0, shared)).toEqual([
    "same: Task | Task",
    "same: Request | Request",
    "same: New file a.txt (+1 -0) | New file a.txt (+1 -0)",
  ]);
});

it("the totals have the requests, the calls and the costs of both tasks", async () => {
  const { live } = await liveTask();
  const trace = snapshot(live);
  const task = { trace, steps: stepsOf(trace) };
  const totals = totalsOf(task, task);
  expect(totals.map(({ name }) => name)).toEqual([
    "Model",
    "State",
    "Requests",
    "Calls",
    "Cost",
    "Time without long waits",
  ]);
  for (const { mine, other } of totals) expect(mine).toBe(other);
  expect(totals.find(({ name }) => name === "Calls")?.mine).toBe("3 calls");
  expect(task.steps.find(({ kind }) => kind === "request")?.ms).toBeGreaterThanOrEqual(0);
});
