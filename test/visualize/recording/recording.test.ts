import { filter, lastValueFrom, map, type Observable, take, toArray } from "rxjs";
import { describe, expect, test } from "vitest";
import { readJournal } from "../../../actors/index.ts";
import type { TaskCommit } from "../../../client/index.ts";
import { taskMachine } from "../../../machines/task/index.ts";
import { allowEverything } from "../../../tools/index.ts";
import { type TraceEvent, TraceLog, Tracer } from "../../../trace/index.ts";
import {
  liveTrace,
  parseTraceLine,
  TraceError,
  traceLines,
  traceOfJournal,
  transitionRows,
} from "../../../visualize/index.ts";
import type { JournalRecord } from "../../../wire/index.ts";
import { DONE, openRig } from "../../support/host.ts";
import { complete, deferred, scripted } from "../../support/model.ts";
import { fixtureJournals, journalOf, liveTask, recordsOf } from "../../support/recorded-traces.ts";

const { records, live } = await liveTask();
const inspected = await liveTask({ inspect: true });

/** Without what no journal has. */
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
  test("without growth is the trace of its journal, the end of a stopped effect too", () => {
    expect(records.some(({ kind }) => kind === "effect.end")).toBe(true);
    expect(withoutGrowth(live)).toEqual(traceOfJournal(records));
  });

  test("has places without a gap", () => {
    expect(live.map(({ seq }) => seq)).toEqual(live.map((_, index) => index));
  });

  test("has growth of streamed text, which no journal has; begun amid a stream, it has what grew before", async () => {
    const grows = (suffix: string) => (shown: TaskCommit) =>
      shown.commit.log.some((event) => event.type === "message.grown" && event.text.endsWith(suffix));
    const [begun, ended] = [deferred(), deferred()];
    const model = scripted([
      async function* () {
        yield { type: "text.delta", text: "One" };
        await begun.promise;
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
          if (trace === all) told.push(event);
          return log.moment(event.seq).memory.log.toArray().at(-1)?.text;
        }),
        filter((text) => text?.startsWith("One") === true),
        toArray(),
      );
    };
    const told: TraceEvent[] = [];
    const all = follow();
    const whole = lastValueFrom(texts(all));
    const first = rig.until(({ commit }) =>
      commit.log.some(({ type }) => type === "message.appended" && rig.task.log.at(-1)?.text === "One"),
    );
    const second = rig.until(grows("two"));
    const run = rig.task.run("Count");
    await first;
    begun.resolve();
    await second;
    const late = lastValueFrom(texts(follow()));
    ended.resolve();
    await run;
    await rig.task.close();
    expect(new Set(await whole)).toEqual(new Set(["One", "One, two", "One, two, three"]));
    expect(withoutGrowth(told)).toEqual(traceOfJournal(await recordsOf(driver)));
    expect(new Set(await late)).toEqual(new Set(["One", "One, two", "One, two, three"]));
  });

  test("L1: at each place, also amid a stream, the machine's state is the one that the rows mean", () => {
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

  test("uninspected has no microsteps; inspected, those of each commit, which are rows of the machine's table", () => {
    expect(live.filter(({ microsteps }) => microsteps !== undefined)).toEqual([]);
    const table = new Set(
      transitionRows(taskMachine).map(({ state, event, guard, target }) =>
        [state, event, guard, target].join(),
      ),
    );
    const stepped = inspected.live.flatMap(({ microsteps }) => microsteps ?? []);
    const taken = stepped.flatMap(({ transitions }) => transitions);
    expect(taken.length).toBeGreaterThan(20);
    for (const { source, event, guard = "", targets } of taken)
      expect(table).toContain([source, event === "" ? "always" : event, guard, targets.join(", ")].join());
  });

  test("inspected names for each commit the event that caused it, first", () => {
    for (const { record, microsteps } of inspected.live) {
      if (microsteps === undefined || record.kind !== "commit") continue;
      expect(microsteps[0]?.event).toBe(record.cause?.type);
      expect(microsteps.flatMap(({ transitions }) => transitions).length).toBeGreaterThan(0);
    }
  });

  test("says how many commits it dropped while the journal was read, and reads them from there", async () => {
    const drops: number[] = [];
    const few = await liveTask({ bound: 1, onDropped: (count) => drops.push(count) });
    expect(withoutGrowth(few.live)).toEqual(traceOfJournal(few.records));
    expect(few.live.map(({ seq }) => seq)).toEqual(few.live.map((_, index) => index));
    for (const count of drops) expect(count).toBeGreaterThan(0);
  });

  test("of a task that is opened amid its life begins with what was before", async () => {
    await using rig = await openRig({ script: `[${DONE}]`, policy: allowEverything() });
    await rig.task.run("Do it");
    const driver = journalOf(rig);
    const trace = liveTrace(rig.task, { records: () => readJournal(driver, { onTail: () => {} }) });
    const first = await lastValueFrom(trace.pipe(take(3), toArray()));
    expect(first.map(({ record }) => record.seq)).toEqual([0, 1, 2]);
    expect(first[0]?.record.kind).toBe("header");
  });
});

describe("the lines of a trace", () => {
  test("give the same events again: of every fixture, and of an inspected task", async () => {
    const journals = await fixtureJournals();
    for (const events of [inspected.live, ...journals.map(([, journal]) => traceOfJournal(journal))]) {
      const again = [...traceLines(events)].map((line, index) => parseTraceLine(line, index + 1));
      expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(events)));
    }
  });

  test.each([
    ["no JSON", "{", "Line 7 of the trace is no event of a trace"],
    ["a record that is none", '{"seq":0,"taskId":"t","from":"task","record":{"kind":"x"}}', "record"],
    ["a place that is no number", '{"seq":"a","taskId":"t","from":"task","record":{}}', "seq"],
  ])("that hold %s are refused, with the line's number and what is wrong", (_what, text, words) => {
    expect(() => parseTraceLine(text, 7)).toThrow(TraceError);
    expect(() => parseTraceLine(text, 7)).toThrow("Line 7");
    expect(() => parseTraceLine(text, 7)).toThrow(words);
  });

  test("records without a header make no trace", () => {
    expect(() => traceOfJournal(records.slice(1))).toThrow(
      "begins with a header, not with a commit (record 1)",
    );
  });
});
