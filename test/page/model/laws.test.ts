import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { RecordedCommit } from "../../../verify/monitor/commits.ts";
import { MONITORED_LAWS, type MonitoredLawId } from "../../../verify/monitor/monitored-laws.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { lawBrokenAt, lawStatuses } from "../../../visualize/page/model/laws.ts";
import type { Counterexample } from "../../../visualize/trace/counterexample.ts";
import { eventsOf } from "../../../visualize/trace/events-of.ts";
import type { TraceReader } from "../../../visualize/trace/moment.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { enters, Served, SseReader, tracesOf } from "../../server/support.ts";
import { recordedRun } from "../../verify/monitor/recordings.ts";
import { appended, commit, RECORDED, recorded, snapshotOf, traceOf } from "../panes/trace.ts";

const lawsOf = (trace: TraceReader) => snapshotOf(trace).index.laws;

/** The records of commits: the first is record 1. */
const recordsOf = (commits: readonly RecordedCommit[]): readonly CommitRecord[] =>
  commits.map(({ log = [], conversation = [], effects = [], after = "" }, position) =>
    commit(position + 1, {
      log,
      conversation,
      effects,
      after,
      before: commits[position - 1]?.after ?? "no_task",
    }),
  );

const say = (ts: number, more: Partial<ClineMessage> = {}): LogEvent =>
  appended({ ts, type: "say", say: "text", text: "a", ...more });

/** Parts that break a law in any commit. `ts`: later than every message of the run. */
const FAULTS: Readonly<Record<MonitoredLawId, (record: CommitRecord, ts: number) => Partial<CommitRecord>>> =
  {
    L1: ({ after }) => ({ after: after.startsWith("idle") ? "running" : "idle.completed" }),
    L2: ({ log }, ts) => ({ log: [...log, { type: "message.grown", ts, text: "more" }] }),
    L3: ({ log }, ts) => ({ log: [...log, say(ts, { partial: true }), say(ts + 1)] }),
    L4: ({ log }, ts) => ({
      log: [...log, ...[ts, ts + 1].map((each) => say(each, { say: "api_req_started", text: "{}" }))],
    }),
    L5: ({ log }, ts) => ({ log: [...log, say(ts), say(ts)] }),
    L6: ({ conversation }) => ({
      conversation: [...conversation, { type: "entry.appended", entry: { role: "user", content: [] } }],
      effects: [{ type: "effect.started", effect: "llm", id: "r" }],
    }),
    L8: ({ log }, ts) => ({
      log: [...log, say(ts)],
      cause: { type: "ask.answered", at: 1, askId: ts + 1 },
    }),
  };

describe("the laws of a trace", () => {
  it("hold in every recorded journal, of every version", () => {
    for (const name of RECORDED) expect([name, lawsOf(recorded(name)).broken]).toEqual([name, []]);
  });

  it.each(Object.entries(FAULTS))(
    "%s is broken at the event of the fault, and there is a problem",
    (law, fault) => {
      fc.assert(
        fc.property(recordedRun, fc.nat(), ({ run, commits }, place) => {
          const records = recordsOf(commits);
          const at = place % records.length;
          const ts = (run.view.context.log.at(-1)?.ts ?? 0) + 1;
          const faulty = records.flatMap((each, position) => {
            if (position > at) return [];
            return [position === at ? { ...each, ...fault(each, ts) } : each];
          });
          const { index } = snapshotOf(traceOf(faulty));
          expect(index.laws.broken.filter(({ seq }) => seq !== at + 1)).toEqual([]);
          expect(index.laws.broken.map((broken) => broken.law)).toContain(law);
          const problems = index.problems.list.flatMap(({ seq, trouble }) =>
            trouble.kind === "law" ? [`${trouble.law} at ${seq}`] : [],
          );
          expect(problems).toContain(`${law} at ${at + 1}`);
        }),
        { numRuns: 20, endOnFailure: true },
      );
    },
  );

  it("are broken once by consecutive commits, and again after one that is fine", () => {
    const message = (seq: number, after: string) => commit(seq, { log: [say(seq)], after });
    const states = ["running", "idle", "resumable", "running", "idle"];
    const trace = traceOf(states.map((after, position) => message(position + 1, after)));
    expect(lawsOf(trace).broken.map(({ law, seq }) => `${law} at ${seq}`)).toEqual(["L1 at 2", "L1 at 5"]);
  });

  it("have what was checked; a law without any of it is not checkable", () => {
    const statuses = lawStatuses(lawsOf(traceOf([commit(1, { log: [say(1)] })])));
    expect(statuses.map(({ id, status, fact }) => `${id} ${status}: ${fact}`)).toEqual([
      "L1 holds: 1 commit",
      "L2 holds: 1 change",
      "L3 holds: 1 message",
      "L4 unchecked: no request",
      "L5 holds: 1 change",
      "L6 unchecked: no sent conversation",
      "L8 unchecked: no ask",
    ]);
  });

  it("do not have L1 where no machine ran: it would prove itself", () => {
    const [first] = lawStatuses(lawsOf(traceOf([commit(1, { log: [say(1)] })])), { isDerived: true });
    expect(first).toMatchObject({ id: "L1", status: "unchecked", fact: "no machine" });
  });
});

describe("the law of a counterexample", () => {
  const trace = traceOf([commit(1, { log: [say(1)] })]);
  const found: Counterexample = {
    law: "L10",
    title: "a cancel settles",
    what: "it does not",
    event: "e",
    seq: 1,
  };

  it("is one more, and broken at its event", () => {
    const statuses = lawStatuses(lawsOf(trace), { counterexample: found });
    expect(statuses.slice(0, -1)).toEqual(lawStatuses(lawsOf(trace)));
    expect(statuses.at(-1)).toMatchObject({ id: "L10", status: "broken", events: [1] });
    expect(lawBrokenAt(lawsOf(trace), 1, found)).toEqual({
      seq: 1,
      law: "L10",
      expected: "a cancel settles",
      came: "it does not",
    });
    expect(lawBrokenAt(lawsOf(trace), 0, found)).toBeUndefined();
  });

  it("is broken where a trace alone does not show it, also without a record of its own", () => {
    const { seq: _seq, ...lost } = { ...found, law: "L1" };
    for (const one of [lost, { ...lost, seq: 1 }])
      expect(lawStatuses(lawsOf(trace), { counterexample: one })[0]).toMatchObject({
        id: "L1",
        status: "broken",
      });
    expect(lawStatuses(lawsOf(trace), { counterexample: lost })).toHaveLength(
      Object.keys(MONITORED_LAWS).length,
    );
  });

  it("has what the check expected, if the check found it", () => {
    const broken = traceOf([commit(1, { log: [say(1)], after: "idle" })]);
    const [own] = lawsOf(broken).broken;
    expect(lawBrokenAt(lawsOf(broken), 1, { ...found, law: "L1" })).toEqual(own);
    expect(lawStatuses(lawsOf(broken), { counterexample: { ...found, law: "L1" } })[0]?.events).toEqual([1]);
  });
});

/** Its second response grows while a client follows the task. */
const SCRIPT = `
turns:
  - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - - { text: "${"A delta and another one. ".repeat(20)}", chunk: 8, delayMs: 2 }
    - { tool: attempt_completion, input: { result: All done. } }
`;

describe("the laws of a trace that is checked in steps", () => {
  const messages = Array.from({ length: 5 }, (_, index) => commit(index + 1, { log: [say(index + 1)] }));
  const faulty = traceOf([...messages, commit(6, { log: [say(6)], after: "idle.completed" })]);
  const events = eventsOf(faulty);

  it("are being checked, and none holds yet, until all events are checked", () => {
    const growing = new GrowingTrace("t", events);
    for (const maxLaws of [0, 3, 3]) {
      const { laws, problems } = growing.snapshot(maxLaws).index;
      expect(new Set(lawStatuses(laws).map(({ status }) => status))).toEqual(new Set(["checking"]));
      expect(problems.list).toEqual([]);
    }
    const { laws, problems } = growing.snapshot(3).index;
    expect(laws).toEqual(new GrowingTrace("t", events).snapshot().index.laws);
    expect(lawStatuses(laws).find(({ id }) => id === "L1")).toMatchObject({ status: "broken", events: [6] });
    expect(problems.list.map(({ seq, trouble }) => [seq, trouble.kind])).toEqual([[6, "law"]]);
  });

  it("show a law that is broken before all events are checked", () => {
    const growing = new GrowingTrace("t", events);
    growing.snapshot(7);
    growing.append([{ ...faulty.event(6), seq: 7 }]);
    const statuses = lawStatuses(growing.snapshot(0).index.laws);
    expect(statuses.find(({ id }) => id === "L1")?.status).toBe("broken");
    expect(statuses.find(({ id }) => id === "L5")?.status).toBe("checking");
  });
});

describe("the laws of a live task", () => {
  it("hold while it is followed, also for text that is in no record yet", async () => {
    await using served = await Served.open({ script: SCRIPT });
    const { id } = await served.create("Write a.txt");
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
    const events = [...tracesOf(await stream.until(enters("waiting_for_input")))];
    const [ask] = (await served.info(id)).asks;
    await served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, { kind: "yes" });
    events.push(...tracesOf(await stream.until(enters("idle"))));
    stream.close();
    const grown = events.filter(
      ({ record }) => record.kind === "commit" && record.log.some(({ type }) => type === "message.grown"),
    );
    expect(grown.length).toBeGreaterThan(0);
    const { laws } = new GrowingTrace(id, events).snapshot().index;
    expect(laws.broken).toEqual([]);
    expect(lawStatuses(laws).map(({ status }) => status)).toEqual(lawStatuses(laws).map(() => "holds"));
  });
});
