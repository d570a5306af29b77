import { fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { type TraceEvent, TraceLog, traceOfJournal } from "../../../visualize/trace/index.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import type { CommitRecord, JournalRecord } from "../../../wire/journal/record.ts";
import { fixtureJournals, liveTask, startOf } from "../../support/recorded-traces.ts";

/** Senders that are no actors. */
const OTHERS: ReadonlySet<string> = new Set(["user", "journal", "task", "unknown"]);

const fixtures = await fixtureJournals();
const { records } = await liveTask();
const traces: readonly (readonly [string, readonly TraceEvent[]])[] = [
  ["all kinds of events", traceOfJournal(records)],
  ...fixtures.map(([name, journal]) => [name, traceOfJournal(journal)] as const),
];

describe.each(traces)("the trace of a journal: %s", (_name, events) => {
  const log = new TraceLog(events[0]?.taskId ?? "", events);

  test("has for each event of an actor the start of that actor, which runs or was stopped", () => {
    for (const event of events) {
      const { seq, from, because } = event;
      expect([seq, because]).toEqual([seq, startOf(events, event)]);
      expect(because === undefined, `${from} at ${seq}`).toBe(OTHERS.has(from));
      if (because === undefined) continue;
      const isAtWork = log.moment(seq - 1).actors.get(from) === because;
      const isStopped = events
        .slice(because + 1, seq)
        .some(({ record }) =>
          effectsOf(record).some(([type, id]) => type === "effect.stopped" && id === from),
        );
      expect(isAtWork || isStopped, `${from} at ${seq}`).toBe(true);
    }
  });

  test("has at each event the fold of all events up to it", () => {
    const places = fc.sample(fc.nat(events.length - 1), { numRuns: 2 * events.length, seed: 7 });
    for (const seq of places)
      expect(log.moment(seq)).toEqual(new TraceLog(log.taskId, events.slice(0, seq + 1)).moment(seq));
  });

  test("L1: at each event the machine's state equals the state derived from the messages", () => {
    for (const { seq } of events) {
      const { state, derived } = log.moment(seq);
      expect(state.split(".")[0], `at ${seq}: ${state}`).toBe(derived.state);
    }
  });
});

const effectsOf = (record: JournalRecord): readonly (readonly [string, string])[] =>
  record.kind === "commit" ? record.effects.map(({ type, id }) => [type, id] as const) : [];

describe("all kinds of events's trace", () => {
  const events = traceOfJournal(records);

  test("has the end of a stopped effect, sent by its tool", () => {
    const end = events.find(({ record }) => record.kind === "effect.end") ?? expect.fail();
    expect(end.from).toMatch(/^tool:/);
    const [stop] = events.filter(({ record }) =>
      effectsOf(record).some(([type, id]) => type === "effect.stopped" && id === end.from),
    );
    expect(end.because).toBe(startOf(events, end));
    expect(end.because).toBeLessThan(stop?.seq ?? -1);
    expect(stop?.seq).toBeLessThan(end.seq);
  });

  test("names every kind of sender", () => {
    const kinds = new Set(events.map(({ from }) => from.split(":")[0]));
    expect([...kinds].sort()).toEqual(
      ["ask", "context", "llm", "opening", "review", "task", "tool", "user"].sort(),
    );
  });
});

/** A long trace that counts how often its events are folded. */
function counted(length: number): { readonly log: TraceLog; readonly folds: () => number } {
  let folds = 0;
  const tracer = new Tracer("t1");
  const log = new TraceLog("t1");
  const header: JournalRecord = { seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 };
  for (let seq = 0; seq < length; seq += 1) {
    const { record, ...event } = tracer.add(seq === 0 ? header : commitAt(seq));
    log.append({
      ...event,
      get record() {
        folds += 1;
        return record;
      },
    });
  }
  return { log, folds: () => folds };
}

/** A request now and then: deriving the state looks for the newest one. */
const messageAt = (ts: number): ClineMessage => ({
  ts,
  type: "say",
  say: ts % 10 === 1 ? "api_req_started" : "text",
  text: ts % 10 === 1 ? '{"cost":0}' : `message ${ts}`,
});

const commitAt = (seq: number): CommitRecord => ({
  seq,
  kind: "commit",
  at: seq,
  before: "streaming.receiving",
  after: "streaming.receiving",
  log: [{ type: "message.appended", message: messageAt(seq) }],
  conversation: [],
  decisions: [],
  turnEnded: false,
  calls: [],
  effects: [],
  reports: [],
});

describe("a trace of 100,000 events", () => {
  const { log, folds } = counted(100_000);

  test("folds each event once as it grows", () => {
    expect(folds()).toBe(100_000);
  });

  test("L17: folds at most 63 events to read any event, one for the next event, and none at its end", () => {
    const read = (seq: number): number => {
      const before = folds();
      expect(log.moment(seq).memory.log.length).toBe(seq);
      return folds() - before;
    };
    expect(read(99_999)).toBe(0);
    for (const seq of fc.sample(fc.nat(99_999), { numRuns: 200, seed: 7 }))
      expect(read(seq)).toBeLessThanOrEqual(63);
    read(50_000);
    for (let seq = 50_001; seq < 50_200; seq += 1) expect(read(seq)).toBeLessThanOrEqual(1);
  });

  test("rejects an event out of order and an unknown event, with the known range", () => {
    expect(() => log.append(log.event(5))).toThrow("Expected event 100000 of this trace, got 5.");
    expect(() => log.moment(100_000)).toThrow("from 0 to 99999 of this trace, got 100000");
  });
});
