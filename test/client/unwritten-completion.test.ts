import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { connectTask, JsonEventEmitter, observeLifecycle } from "../../client/index.ts";
import { localSource } from "../../client/react/local-source.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import { type JournalDriver, JournalError, memoryJournal } from "../../store/index.ts";
import { allowEverything } from "../../tools/index.ts";
import { hookAt } from "../support/hooks.ts";
import { DONE, openRig, type Rig } from "../support/host.ts";
import { collect } from "./telemetry/collector.ts";

/** A journal whose disk is full from the first record on that has `text`, until it is freed. */
function journalUntil(text: string) {
  const memory = memoryJournal();
  let disk: "fits" | "full" | "freed" = "fits";
  const driver: JournalDriver = {
    ...memory,
    async append(lines, options) {
      if (disk === "fits" && lines.some((line) => line.includes(text))) disk = "full";
      if (disk === "full") throw new JournalError("JOURNAL_FULL", "(memory)", "The disk is full.");
      await memory.append(lines, options);
    },
  };
  return {
    journal: () => driver,
    free() {
      disk = "freed";
    },
  };
}

/** Everything that may act on a completion, with what it has seen of one. */
const CONSUMERS: Readonly<Record<string, (rig: Rig) => () => readonly unknown[]>> = {
  "the commits of a task": ({ task }) =>
    collected((seen) =>
      task.events$.subscribe(({ commit, durable }) => {
        const reports = commit.reports.filter(
          (report) => report.type === "task.completed" || report.ask === "completion_result",
        );
        if (!durable && reports.length > 0) seen(reports);
      }),
    ),
  "the state of a task": ({ task }) =>
    collected((seen) =>
      task.state$.subscribe(({ currentAsk }) => currentAsk === "completion_result" && seen(currentAsk)),
    ),
  "the asks of a task": ({ task }) =>
    collected((seen) => task.asks$.subscribe(({ kind }) => kind === "completion" && seen(kind))),
  "lifecycle events": ({ host }) =>
    collected((seen) => observeLifecycle(host).on("taskCompleted", (event) => seen(event))),
  "an ExtensionClient": ({ task, host }) =>
    collected((seen) => connectTask(task, { host }).client.on("taskCompleted", (event) => seen(event))),
  "a React source": ({ task }) =>
    collected((seen) => {
      const source = localSource(task);
      source.subscribe(() => source.read().state.currentAsk === "completion_result" && seen(source.read()));
    }),
  NDJSON: ({ task }) => {
    const stdout = new PassThrough();
    new JsonEventEmitter({ mode: "stream-json", stdout }).attachToTask(task);
    return () => {
      const lines: string[] = String(stdout.read() ?? "").split("\n");
      return lines.filter((line) => line.includes('"type":"result"'));
    };
  },
  telemetry: ({ host }) => {
    const { spans } = collect(host);
    return () => spans().filter(({ attributes }) => `${attributes["signalbox.state"]}`.startsWith("idle"));
  },
};

function collected(observe: (seen: (value: unknown) => void) => unknown): () => readonly unknown[] {
  const values: unknown[] = [];
  observe((value) => values.push(value));
  return () => values;
}

test.each(Object.keys(CONSUMERS))(
  "LIFE-GAP-011: %s never have a completion that is not durable, and `run` rejects with the journal's code",
  async (name) => {
    const { journal, free } = journalUntil('"ask":"completion_result"');
    await using rig = await openRig({ script: `[${DONE}]`, journal });
    const seen = CONSUMERS[name]?.(rig) ?? (() => [name]);
    await expect(rig.task.run("Do it")).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    expect(seen()).toEqual([]);
    expect(rig.task.state.state).toBe("resumable");
    // The rest is written first when the disk has room again.
    free();
    await rig.task.flushed();
    expect(seen()).toEqual([]);
    expect(rig.task.asks.map(({ kind }) => kind)).toEqual(["resume"]);
  },
);

test("LIFE-GAP-011: a stream ends with the journal's error, not with a result", async () => {
  const { journal, free } = journalUntil('"ask":"completion_result"');
  await using rig = await openRig({ script: `[${DONE}]`, journal });
  const types: string[] = [];
  const read = async (): Promise<void> => {
    for await (const { type } of rig.task.stream("Do it")) types.push(type);
  };
  await expect(read()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
  expect(types).not.toContain("result");
  free();
});

test("LIFE-GAP-011: a hook at rest is not run for a completion that is not durable", async () => {
  const { journal, free } = journalUntil('"ask":"completion_result"');
  const seen: unknown[] = [];
  const hooks = [hookAt("onRest", (input) => void seen.push(input))];
  await using rig = await openRig({ script: `[${DONE}]`, journal, hooks });
  await expect(rig.task.run("Do it")).rejects.toMatchObject({ code: "JOURNAL_FULL" });
  free();
  await rig.host.closeAll();
  expect(seen).toEqual([]);
});

test("LIFE-GAP-011: a parent is not given a result that its subtask's journal does not have", async () => {
  const child = journalUntil('"ask":"completion_result"');
  const parent = memoryJournal();
  await using rig = await openRig({
    script: `rules: [
      { when: { user: Count }, turns: [${DONE}] },
      { turns: [{ tool: new_task, input: { mode: code, message: Count } }, ${DONE}] }
    ]`,
    journal: (id) => (id.includes(".") ? child.journal() : parent),
    policy: allowEverything(),
  });
  await rig.task.run("Do it");
  const result = rig.task.log.toArray().find(({ say }) => say === "subtask_result");
  expect(result?.text).toContain("its journal could not be written");
  child.free();
});

test("LIFE-GAP-011: an acceptance that is not durable completes nothing", async () => {
  const { journal, free } = journalUntil("task.completed");
  await using rig = await openRig({ script: `[${DONE}]`, journal });
  const completed: unknown[] = [];
  observeLifecycle(rig.host).on("taskCompleted", (event) => completed.push(event));
  expect(await rig.task.run("Do it")).toMatchObject({ result: "Done." });
  const shown = rig.until(({ durable }) => !durable);
  (await rig.ask("completion")).approve();
  await shown;
  expect(completed).toEqual([]);
  expect(rig.task.state.state).toBe("resumable");
  expect(detectAgentState(rig.task.log).state).toBe("resumable");
  free();
});
