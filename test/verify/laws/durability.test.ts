import { describe, expect, it } from "vitest";
import { PersistentList } from "../../../machines/list/index.ts";
import type { DurableFacts, TaskEmitted } from "../../../machines/task/index.ts";
import type { RecordedCall, ToolCall } from "../../../machines/tool-call/index.ts";
import { durability } from "../../../verify/laws/durability.ts";
import { FACTS } from "../../support/facts.ts";
import { callOf, delegated, running, settled, stopped, turnOf } from "./calls.ts";
import { appended, logOf, pastOf, recorded, say } from "./commit-parts.ts";
import { fresh, type StepParts, stepOf } from "./step.ts";

const found = (parts: StepParts): string | undefined => durability.violation(stepOf(parts));
const past = pastOf();

/** Each fact, as it isn't in a fresh task. */
const OTHERS: DurableFacts = {
  pending: [{ type: "text", text: "words" }],
  background: [{ callId: "c1", command: "serve" }],
  counters: { ...fresh.counters, mistakes: 1 },
  retryAt: 50,
  total: { ...fresh.total, tokensIn: 1 },
  result: "done",
  mode: "architect",
  children: 1,
};
const told = (facts: Partial<DurableFacts>): TaskEmitted => ({ type: "facts.changed", facts });

describe("a fact is remembered as the context has it (L11)", () => {
  it.each(FACTS)("%s", (name) => {
    const other = { [name]: OTHERS[name] };
    const isnt = new RegExp(`^${name} differs from the recorded value$`);
    expect(found({ after: other, emitted: [told(other)] })).toBeUndefined();
    expect(found({ after: other, emitted: [told(structuredClone(other))] })).toBeUndefined();
    expect(found({ after: other })).toMatch(isnt);
    expect(found({ emitted: [told(other)] })).toMatch(isnt);
    expect(found({ after: other, emitted: [told({ [name]: fresh[name] })] })).toMatch(isnt);
  });

  it("but one that neither side has changed was found before", () => {
    expect(found({ before: OTHERS })).toBeUndefined();
    expect(found({ earlier: [told(OTHERS)] })).toBeUndefined();
    expect(
      found({ before: OTHERS, after: { mode: "ask" }, emitted: [told({ mode: "ask" })] }),
    ).toBeUndefined();
  });
});

const queue = [{ id: "q1", text: "words", images: [] }];
const row = say(1, "text", { text: "words" });
const entry = { role: "user", content: [{ type: "text", text: "words" }] } as const;
const conversation = PersistentList.of(entry);

describe("the lists are remembered as the context has them (L11)", () => {
  it.each<[name: string, after: StepParts["after"], piece: TaskEmitted]>([
    ["queue", { queue }, { type: "queue.changed", queue: structuredClone(queue) }],
    ["log", { log: logOf(row) }, appended({ ...row })],
    ["conversation", { conversation }, { type: "entry.appended", entry }],
  ])("the %s", (name, after = {}, piece) => {
    const isnt = new RegExp(`^the ${name} differs from the recorded ${name}$`);
    expect(found({ after, emitted: [piece] })).toBeUndefined();
    expect(found({ after })).toMatch(isnt);
    expect(found({ emitted: [piece] })).toMatch(isnt);
  });

  it("the log with its last row as it is", () => {
    const parts = { before: { log: logOf(row) }, earlier: [appended(row)] };
    const after = { log: logOf({ ...row, text: "other" }) };
    const amended: TaskEmitted = { type: "message.amended", ts: 1, patch: { text: "other" } };
    expect(found({ ...parts, after, emitted: [amended] })).toBeUndefined();
    expect(found({ ...parts, after })).toMatch(/^the log differs/);
  });

  it("the log with as many rows as it has", () => {
    const first = say(0, "text");
    const parts = { after: { log: logOf(first, row) } };
    expect(found({ ...parts, emitted: [appended(first), appended(row)] })).toBeUndefined();
    expect(found({ ...parts, emitted: [appended(row)] })).toMatch(/^the log differs/);
  });

  it.each<[name: string, before: StepParts["before"]]>([
    ["queue", { queue }],
    ["log", { log: logOf(row) }],
    ["conversation", { conversation }],
  ])("the %s is looked at where anything has changed, and where a task is opened", (name, before = {}) => {
    const isnt = new RegExp(`^the ${name} differs from the recorded ${name}$`);
    expect(found({ before })).toBeUndefined();
    expect(found({ before, past })).toMatch(isnt);
    expect(found({ before, emitted: [told({ mode: fresh.mode })] })).toMatch(isnt);
  });
});

/** What is remembered of a call in each of its phases that last. */
const RECORDS: readonly RecordedCall[] = [
  { ...callOf("c1", "asking"), phase: "asking" },
  { ...stopped("c1"), phase: "running" },
  stopped("c1"),
  delegated("c1"),
  settled("c1"),
];
const becomes = (call: ToolCall, ...records: readonly RecordedCall[]) =>
  found({ after: { turn: turnOf(call) }, emitted: records.map(recorded) });

describe("what a call came to is remembered (L11)", () => {
  it.each(RECORDS)("once it is $phase", (record) => {
    const call = callOf("c1", record.phase);
    const untold = new RegExp(`^c1 is ${record.phase} and is not recorded so$`);
    expect(becomes(call, record)).toBeUndefined();
    expect(becomes(call)).toMatch(untold);
    expect(becomes(call, { ...record, callId: "c2" })).toMatch(untold);
    expect(becomes(call, { ...record, toolUseId: "other" })).toMatch(untold);
    expect(becomes(call, { ...record, name: "other" })).toMatch(untold);
    for (const other of RECORDS)
      if (other.phase !== record.phase) expect(becomes(call, other)).toMatch(untold);
  });

  it.each(["planned", "deciding", "decided", "approved"] as const)("not while it is only %s", (phase) => {
    expect(becomes(callOf("c1", phase))).toBeUndefined();
  });

  it("with its outcome", () => {
    expect(becomes(settled("c1", "failed"), settled("c1", "failed"))).toBeUndefined();
    expect(becomes(settled("c1", "failed"), settled("c1", "done"))).toMatch(/^c1 is settled/);
  });

  it("with the id of its subtask", () => {
    const other = { ...delegated("c1"), childId: "t1.2" };
    expect(becomes(other, other)).toBeUndefined();
    expect(becomes(other, delegated("c1"))).toMatch(/^c1 is delegated/);
  });

  it.each([true, false])(
    "with whether it may run again (%s), while it runs and once it is stopped",
    (replayable) => {
      const [runs, stops] = [running("c1"), { ...stopped("c1"), replayable }];
      const call: ToolCall = { ...runs, review: { ...runs.review, replayable } };
      expect(becomes(call, { ...stops, phase: "running" })).toBeUndefined();
      expect(becomes(call, { ...stops, phase: "running", replayable: !replayable })).toMatch(
        /^c1 is running/,
      );
      expect(becomes(stops, stops)).toBeUndefined();
      expect(becomes(stops, { ...stops, replayable: !replayable })).toMatch(/^c1 is stopped/);
    },
  );

  it("with the arguments of its subtask", () => {
    expect(becomes({ ...delegated("c1"), input: { other: 1 } }, delegated("c1"))).toMatch(/^c1 is delegated/);
  });

  it("with the words that a person put beside it", () => {
    const feedback = { text: "but gently", images: [] };
    const other = { text: "but quickly", images: [] };
    const runs: ToolCall = { ...running("c1"), feedback };
    const told: RecordedCall = { ...stopped("c1"), phase: "running", replayable: runs.review.replayable };
    expect(becomes(runs, { ...told, feedback })).toBeUndefined();
    expect(becomes(runs, { ...told, feedback: other })).toMatch(/^c1 is running/);
    for (const call of [stopped("c1"), delegated("c1")]) {
      expect(becomes({ ...call, feedback }, { ...call, feedback })).toBeUndefined();
      expect(becomes({ ...call, feedback }, call)).toMatch(/^c1 is (stopped|delegated)/);
    }
  });

  it("by the macrostep in which it came to it, whatever the other calls do", () => {
    const [one, two] = [settled("c1"), settled("c2")];
    const step = { before: { turn: turnOf(one) }, after: { turn: turnOf(one, two) } };
    expect(found({ ...step, emitted: [recorded(two)] })).toBeUndefined();
    expect(found(step)).toMatch(/^c2 is settled/);
    expect(found({ ...step, emitted: [recorded(one)] })).toMatch(/^c2 is settled/);
    expect(found({ ...step, before: { turn: turnOf(one, callOf("c2", "approved")) } })).toMatch(
      /^c2 is settled/,
    );
    expect(found({ before: { turn: turnOf(one, two) }, after: { turn: turnOf(one, two) } })).toBeUndefined();
  });

  it("but an opening has its calls from what is remembered", () => {
    expect(found({ past, after: { turn: turnOf(settled("c1", "uncertain")) } })).toBeUndefined();
  });

  it.each([
    ["a turn", undefined],
    ["an opening", past],
  ])("and it is forgotten with its turn, at the end of %s", (_, opening) => {
    const step = { earlier: [recorded(stopped("c1"))], ...(opening !== undefined && { past: opening }) };
    expect(found(step)).toMatch(/^c1 is recorded and is no call of the turn$/);
    expect(found({ ...step, emitted: [{ type: "turn.ended" }] })).toBeUndefined();
    const turn = turnOf(stopped("c1"));
    expect(found({ ...step, before: { turn }, after: { turn } })).toBeUndefined();
  });
});
