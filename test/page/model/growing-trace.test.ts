import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../../machines/message/log.ts";
import { GROWTH_MAX, GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { mergeGrowth } from "../../../visualize/page/model/merge-growth.ts";
import type { TraceSnapshot } from "../../../visualize/page/model/trace-snapshot.ts";
import { eventsOf } from "../../../visualize/trace/events-of.ts";
import { type TraceEvent, TraceLog } from "../../../visualize/trace/index.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { appended, commit, traceOf } from "../panes/trace.ts";

/** The number of events of a response besides its growth: its message, the whole text, and the end of its effect. */
const OTHERS = 3;

/**
 * The events of a task with this many responses, each with this many events of growth. They are numbered as by a
 * server: growth has the number of the record before it.
 */
function responses(count: number, growth: number): readonly TraceEvent[] {
  const tracer = new Tracer("t");
  const records: Parameters<Tracer["add"]>[0][] = [
    { seq: 0, kind: "header", version: 2, taskId: "t", createdAt: 1_000 },
  ];
  let record = 0;
  const next = (log: readonly LogEvent[], more: Partial<CommitRecord> = {}) => {
    record += 1;
    records.push(commit(record, { before: "streaming", after: "streaming", log, ...more }));
  };
  for (let response = 1; response <= count; response += 1) {
    const text = Array.from({ length: growth }, (_, index) => `${response}.${index} `);
    next([appended({ ts: response, type: "say", say: "text", text: "", partial: true })], {
      effects: [{ type: "effect.started", effect: "llm", id: "llm" }],
    });
    for (const part of text)
      records.push(
        commit(record, {
          cause: { type: "llm.text.delta", at: 1_000 + response, requestId: `r${response}` },
          before: "streaming",
          after: "streaming",
          log: [{ type: "message.grown", ts: response, text: part }],
        }),
      );
    next([{ type: "message.amended", ts: response, patch: { text: text.join(""), partial: false } }]);
    next([], { effects: [{ type: "effect.stopped", effect: "llm", id: "llm" }] });
  }
  return records.map((each) => tracer.add(each));
}

const textsAt = (trace: Pick<TraceSnapshot, "moment">, at: number): readonly (string | null | undefined)[] =>
  [...trace.moment(at).memory.log].map(({ text }) => text);

describe("a followed trace", () => {
  const GROWTH = 500;
  const events = responses(100, GROWTH);
  /** Follow all events in batches, as the page does. */
  function followed(batch: number): { growing: GrowingTrace; most: number } {
    const growing = new GrowingTrace("t");
    let most = 0;
    for (let from = 0; from < events.length; from += batch) {
      growing.append(events.slice(from, from + batch));
      growing.merge();
      most = Math.max(most, growing.snapshot(0).length);
    }
    return { growing, most };
  }
  const { growing, most } = followed(100);
  const trace = growing.snapshot();

  it("has at most its records, one event of growth for each text, and the newest growth", () => {
    expect(events.length).toBe(1 + 100 * (GROWTH + OTHERS));
    expect(most).toBeLessThanOrEqual(1 + 100 * (OTHERS + 1) + GROWTH_MAX);
    expect(trace.length).toBeLessThan(events.length / 2);
  });

  it("has the same messages after each event that is left as the whole trace has", () => {
    const whole = new TraceLog("t", events);
    let came = -1;
    for (let seq = 0; seq < trace.length; seq += 1) {
      came += trace.mergedIn(seq);
      if (seq % 61 === 0 || trace.mergedIn(seq) > 1)
        expect(textsAt(trace, seq)).toEqual(textsAt(whole, came));
    }
    expect(came).toBe(events.length - 1);
  });

  it("is numbered without a gap, and each cause is the newest event that started the sender", () => {
    let started: number | undefined;
    for (const [seq, event] of eventsOf(trace).entries()) {
      expect(event.seq).toBe(seq);
      if (event.from === "llm") expect(event.because).toBe(started);
      const { record } = event;
      if (record.kind === "commit" && record.effects[0]?.type === "effect.started") started = seq;
    }
    expect(started).toBeGreaterThan(GROWTH_MAX / 4);
  });

  it("breaks the laws that the whole trace breaks", () => {
    const lawsOf = ({ index }: TraceSnapshot) => index.laws.broken.map(({ law, came }) => [law, came]);
    expect(lawsOf(trace)).toEqual(lawsOf(new GrowingTrace("t", events).snapshot()));
  });

  it("gives the present number of a former event, and earlier snapshots stay as they are", () => {
    const some = new GrowingTrace("t", events.slice(0, GROWTH_MAX + 2_000));
    const before = some.snapshot();
    const placeOf = some.merge();
    const after = some.snapshot();
    if (placeOf === undefined) throw new Error("Expected merged events.");
    expect(before.length).toBe(GROWTH_MAX + 2_000);
    expect(before.event(before.length - 1).seq).toBe(before.length - 1);
    expect(placeOf(0)).toBe(0);
    expect(placeOf(before.length - 1)).toBe(after.length - 1);
    for (let former = 0; former < before.length; former += 97) {
      const { record } = after.event(placeOf(former));
      expect(record.seq).toBe(before.event(former).record.seq);
    }
  });

  it("keeps all growth until there is too much of it", () => {
    const some = new GrowingTrace("t", events.slice(0, GROWTH_MAX));
    expect(some.merge()).toBeUndefined();
    expect(some.snapshot().length).toBe(GROWTH_MAX);
    expect(some.snapshot().mergedIn(GROWTH_MAX - 1)).toBe(1);
  });

  it("rejects an event that is not the next, also after events were merged", () => {
    const next = events.at(-1);
    if (next === undefined) throw new Error("Expected events.");
    expect(() => growing.append([next])).toThrow(RangeError);
    expect(() => growing.append([{ ...next, seq: next.seq + 2 }])).toThrow(RangeError);
  });
});

describe("merged growth", () => {
  const grown = (ts: number, text: string, more: Partial<CommitRecord> = {}): CommitRecord =>
    commit(1, { log: [{ type: "message.grown", ts, text }], ...more });
  const textsOf = (records: readonly CommitRecord[], until = records.length + 1) =>
    mergeGrowth(traceOf(records), until).events.flatMap(({ record }) =>
      record.kind === "commit"
        ? [record.log.map((change) => ("text" in change ? change.text : change.type))]
        : [],
    );

  it("is of one message", () => {
    expect(textsOf([grown(1, "a"), grown(1, "b"), grown(2, "c"), grown(2, "d")])).toEqual([["ab"], ["cd"]]);
  });

  it("ends before an event that is to stay", () => {
    expect(textsOf([grown(1, "a"), grown(1, "b"), grown(1, "c")], 3)).toEqual([["ab"], ["c"]]);
  });

  it.each<Partial<CommitRecord>>([
    { after: "idle" },
    { facts: { mode: "code" } },
    { queue: [] },
    { turnEnded: true },
    { effects: [{ type: "effect.stopped", effect: "llm", id: "llm" }] },
    { log: [appended({ ts: 2, type: "say", say: "text", text: "b" })] },
  ])("is in no event that does more than append to a text: %j", (more) => {
    expect(textsOf([grown(1, "a"), grown(1, "b", more), grown(1, "c")])).toHaveLength(3);
  });
});
