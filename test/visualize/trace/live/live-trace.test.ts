import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { filter, lastValueFrom, map, type Observable, take, tap, toArray } from "rxjs";
import { describe, expect, test } from "vitest";
import { taskMachine } from "../../../../machines/task/task.machine.ts";
import type { ModelEvent } from "../../../../ports/model.ts";
import { createHost } from "../../../../runtime/host.ts";
import type { TaskCommit } from "../../../../runtime/task/task-view.ts";
import { memoryJournal, readJournal } from "../../../../store/index.ts";
import { allowEverything, builtinTools } from "../../../../tools/index.ts";
import { liveTrace, type TraceEvent, TraceLog, traceOfJournal } from "../../../../visualize/trace/index.ts";
import { Tracer } from "../../../../visualize/trace/tracer.ts";
import { machineTransitions } from "../../../../visualize/trace/transitions/transition-table.ts";
import type { JournalRecord } from "../../../../wire/journal/record.ts";
import { JOURNAL_VERSION } from "../../../../wire/journal/record.ts";
import { DONE, openRig } from "../../../support/host.ts";
import { call, complete, deferred, scripted } from "../../../support/model.ts";
import { journalOf, liveTask, recordsOf, startOf } from "../../../support/recorded-traces.ts";
import { waitingTool } from "../../../support/waiting-tool.ts";

const { records, live } = await liveTask();
const inspected = await liveTask({ inspect: true });

const DELTAS = 30;
/** Fewer than there are deltas. */
const BOUND = 5;
const NO_USAGE = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

/** Without growth and microsteps. */
function withoutGrowth(events: readonly TraceEvent[]): readonly TraceEvent[] {
  let newest = -1;
  const recorded = events.flatMap(({ record }): JournalRecord[] => {
    if (record.seq <= newest) return [];
    newest = record.seq;
    if (record.kind !== "commit") return [record];
    return [{ ...record, log: record.log.filter(({ type }) => type !== "message.grown") }];
  });
  const tracer = new Tracer(events[0]?.taskId ?? "");
  return recorded.map((record) => tracer.add(record));
}

describe("the live trace of a task", () => {
  test("without growth equals the trace of its journal, with the end of a stopped effect", () => {
    expect(records.some(({ kind }) => kind === "effect.end")).toBe(true);
    expect(withoutGrowth(live)).toEqual(traceOfJournal(records));
  });

  test("is numbered without a gap", () => {
    expect(live.map(({ seq }) => seq)).toEqual(live.map((_, index) => index));
  });

  test("has growth of streamed text; started during a stream, it has the text so far", async () => {
    const grows = (suffix: string) => (shown: TaskCommit) =>
      shown.commit.log.some((event) => event.type === "message.grown" && event.text.endsWith(suffix));
    const [started, ended] = [deferred(), deferred()];
    const model = scripted([
      async function* () {
        yield { type: "text.delta", text: "One" };
        await started.promise;
        yield { type: "text.delta", text: ", two" };
        await ended.promise;
        yield { type: "text.delta", text: ", three" };
        yield { type: "block.end" };
        yield* complete();
      },
    ]);
    await using rig = await openRig({ model, llm: { frameMs: 0 } });
    const driver = journalOf(rig);
    const follow = () => liveTrace(rig.task, { records: () => readJournal(driver, { onTail: () => {} }) });
    const texts = (trace: Observable<TraceEvent>) => {
      const log = new TraceLog(rig.task.id);
      return trace.pipe(
        map((event) => {
          log.append(event);
          if (trace === all) received.push(event);
          return log.moment(event.seq).memory.log.toArray().at(-1)?.text;
        }),
        filter((text) => text?.startsWith("One") === true),
        toArray(),
      );
    };
    const received: TraceEvent[] = [];
    const all = follow();
    const whole = lastValueFrom(texts(all));
    const first = rig.until(({ commit }) =>
      commit.log.some(({ type }) => type === "message.appended" && rig.task.log.at(-1)?.text === "One"),
    );
    const second = rig.until(grows("two"));
    const run = rig.task.run("Count");
    await first;
    started.resolve();
    await second;
    const late = lastValueFrom(texts(follow()));
    ended.resolve();
    await run;
    await rig.task.close();
    expect(new Set(await whole)).toEqual(new Set(["One", "One, two", "One, two, three"]));
    expect(withoutGrowth(received)).toEqual(traceOfJournal(await recordsOf(driver)));
    expect(new Set(await late)).toEqual(new Set(["One", "One, two", "One, two, three"]));
  });

  test("L1: at each event, also during a stream, the machine's state equals the state derived from the messages", () => {
    const log = new TraceLog(live[0]?.taskId ?? "", live);
    for (const { seq } of live) {
      const { state, derived } = log.moment(seq);
      expect(state.split(".")[0], `at ${seq}`).toBe(derived.state);
    }
  });

  test("ends with the log that its journal ends with", () => {
    const last = (events: readonly TraceEvent[]) =>
      new TraceLog("", events).moment(events.length - 1).memory.log.toArray();
    expect(last(live)).toEqual(last(traceOfJournal(records)));
  });

  test("has microsteps only if inspected: transitions of the machine's table", () => {
    expect(live.filter(({ microsteps }) => microsteps !== undefined)).toEqual([]);
    const table = new Set(
      machineTransitions(taskMachine).map(({ state, event, guard, target }) =>
        [state, event, guard, target].join(),
      ),
    );
    const stepped = inspected.live.flatMap(({ microsteps }) => microsteps ?? []);
    const taken = stepped.flatMap(({ transitions }) => transitions);
    expect(taken.length).toBeGreaterThan(20);
    for (const { source, event, guard = "", targets } of taken)
      expect(table).toContain([source, event === "" ? "always" : event, guard, targets.join(", ")].join());
  });

  test("has the moves of each call only if inspected: each continues where the one before ended", () => {
    expect(live.filter(({ moves, next }) => (moves ?? next) !== undefined)).toEqual([]);
    const moves = inspected.live.flatMap((event) => event.moves ?? []);
    const phases = new Map<string, string>();
    for (const { callId, from, to } of moves) {
      expect(from).toBe(phases.get(callId) ?? "planned");
      phases.set(callId, to);
    }
    expect([...phases.values()]).toContain("settled");
  });

  test("inspected has the next step of the turn", () => {
    const steps = inspected.live.map(({ next }) => next ?? "");
    expect(steps).toContainEqual(expect.stringMatching(/^Waits for call 1 \(.+\), which runs\.$/));
  });

  test("inspected begins each commit with the event that caused it", () => {
    for (const { record, microsteps } of inspected.live) {
      if (microsteps === undefined || record.kind !== "commit") continue;
      expect(microsteps[0]?.event).toBe(record.cause?.type);
      expect(microsteps.flatMap(({ transitions }) => transitions).length).toBeGreaterThan(0);
    }
  });

  test("that exceeds its bound while the journal is read reports the dropped commits, and loses only growth", async () => {
    const [started, held, may, isRead] = [deferred(), deferred(), deferred(), deferred()];
    const [isLive, settled] = [deferred(), deferred()];
    const waiting = waitingTool(() => started.resolve());
    const talks = (name: string, input: Readonly<Record<string, unknown>>) =>
      async function* (): AsyncGenerator<ModelEvent> {
        for (let delta = 0; delta < DELTAS; delta += 1) {
          yield { type: "text.delta", text: `delta ${delta} ` };
          await setImmediate();
        }
        // Only what is live has growth.
        await isLive.promise;
        yield { type: "block.end" };
        yield* call(name, input);
        yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
      };
    const model = scripted([
      talks("wait", {}),
      talks("list_files", { path: ".", recursive: false }),
      async function* () {
        held.resolve();
        await may.promise;
        yield* complete("Said.");
      },
    ]);
    const tools = [...builtinTools(), waiting];
    await using rig = await openRig({ model, tools, llm: { frameMs: 0 }, policy: allowEverything() });
    const driver = journalOf(rig);
    let shown = 0;
    rig.task.events$.subscribe(() => {
      shown += 1;
    });
    let drops = 0;
    let isHeld = false;
    const trace = liveTrace(rig.task, {
      bound: BOUND,
      onDropped: (count) => {
        drops += count;
      },
      async *records() {
        if (isHeld) await isRead.promise;
        yield* readJournal(driver, { onTail: () => {} });
      },
    });
    const received: TraceEvent[] = [];
    const ended = lastValueFrom(
      trace.pipe(
        tap((event) => {
          received.push(event);
          if (event.record.kind !== "commit") return;
          if (event.record.log.some(({ type }) => type === "message.grown")) isLive.resolve();
          if (event.record.after === "resumable") settled.resolve();
        }),
      ),
    );
    const first = rig.task.run("Talk");
    await started.promise;
    rig.task.cancel();
    await first;
    await settled.promise;
    const before = { shown, drops };
    // The journal is read for the end of the tool that was stopped.
    isHeld = true;
    const second = rig.task.run("Continue");
    await held.promise;
    await rig.task.flushed();
    expect(shown - before.shown).toBeGreaterThan(2 * BOUND);
    expect(drops - before.drops).toBe(shown - before.shown - BOUND);
    isRead.resolve();
    may.resolve();
    await second;
    await rig.task.flushed();
    await rig.task.close();
    await ended;
    expect(withoutGrowth(received)).toEqual(traceOfJournal(await recordsOf(driver)));
    expect(received.map(({ seq }) => seq)).toEqual(received.map((_, index) => index));
    // Also for a sender that was started in a dropped event.
    expect(received.map(({ because }) => because)).toEqual(received.map((event) => startOf(received, event)));
    const { memory } = new TraceLog("", received).moment(received.length - 1);
    expect(memory.log.toArray()).toEqual(rig.task.log.toArray());
  });

  test.each([
    ["while a tool runs, has the end of that tool, too", true],
    ["that rests, does not read its journal again", false],
  ])("of a task that is closed %s", async (_, isRunning) => {
    const started = deferred();
    const waiting = waitingTool(() => started.resolve());
    const looks = "{ tool: list_files, input: { path: ., recursive: false } }";
    const script = `[${looks}, ${isRunning ? "{ tool: wait, input: {} }" : DONE}]`;
    const tools = [...builtinTools(), waiting];
    await using rig = await openRig({ script, tools, policy: allowEverything() });
    const driver = journalOf(rig);
    let readings = 0;
    const received: TraceEvent[] = [];
    const trace = liveTrace(rig.task, {
      records: () => {
        readings += 1;
        return readJournal(driver, { onTail: () => {} });
      },
    });
    const settled = deferred();
    const ended = lastValueFrom(
      trace.pipe(
        tap((event) => {
          received.push(event);
          if (event.record.kind === "commit" && event.record.after.startsWith("idle")) settled.resolve();
        }),
      ),
    );
    const run = rig.task.run("Go");
    run.catch(() => undefined);
    await (isRunning ? started.promise : settled.promise);
    await rig.task.flushed();
    const before = readings;
    await rig.task.close();
    await ended;
    const records = await recordsOf(driver);
    expect(records.some(({ kind }) => kind === "effect.end")).toBe(isRunning);
    expect(withoutGrowth(received)).toEqual(traceOfJournal(records));
    if (!isRunning) expect(readings).toBe(before);
  });

  test("of a reopened task begins with the events before", async () => {
    await using rig = await openRig({ script: `[${DONE}]`, policy: allowEverything() });
    await rig.task.run("Do it");
    const driver = journalOf(rig);
    const trace = liveTrace(rig.task, { records: () => readJournal(driver, { onTail: () => {} }) });
    const first = await lastValueFrom(trace.pipe(take(3), toArray()));
    expect(first.map(({ record }) => record.seq)).toEqual([0, 1, 2]);
    expect(first[0]?.record.kind).toBe("header");
  });

  test("of a task of an earlier version has the version record that its opening wrote", async () => {
    const content = await readFile(new URL("../../../fixtures/journals/v2/approving.jsonl", import.meta.url));
    const driver = memoryJournal({ content });
    const host = createHost({ journal: () => driver });
    const task = await host.open("crash", { model: scripted([() => complete()]), workspace: "." });
    const opened = await recordsOf(driver);
    const trace = liveTrace(task, { records: () => readJournal(driver, { onTail: () => {} }) });
    const events = await lastValueFrom(trace.pipe(take(opened.length), toArray()));
    expect(events).toEqual(traceOfJournal(opened));
    expect(opened.at(-2)).toMatchObject({ kind: "version", version: JOURNAL_VERSION });
    await host.closeAll();
  });
});
