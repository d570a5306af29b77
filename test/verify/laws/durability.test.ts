import { describe, expect, it } from "vitest";
import { PersistentList } from "../../../machines/list/list.ts";
import { FACT_NAMES } from "../../../machines/task/commit.ts";
import type { DurableFacts, TaskEmitted } from "../../../machines/task/task.events.ts";
import type { RecordedCall, ToolCall } from "../../../machines/tool-call/call.ts";
import { durability } from "../../../verify/laws/durability.ts";
import { callOf, delegated, running, settled, stopped, turnOf } from "./calls.ts";
import { appended, logOf, pastOf, recorded, say } from "./commit-parts.ts";
import { fresh, type StepParts, stepOf } from "./step.ts";

const found = (parts: StepParts): string | undefined => durability.violation(stepOf(parts));
const past = pastOf();

/** A value of each fact that differs from a fresh task. */
const OTHERS: DurableFacts = {
  pending: [{ type: "text", text: "words" }],
  mentions: [3],
  background: [{ callId: "c1", command: "serve" }],
  backgroundSubtasks: [{ callId: "c1", childId: "t.1", name: "new_task", input: {} }],
  counters: { ...fresh.counters, mistakes: 1 },
  retryAt: 50,
  requestedAt: 40,
  failedDiffs: [{ file: "a.txt", times: 1 }],
  total: { ...fresh.total, tokensIn: 1 },
  result: "done",
  mode: "architect",
  children: 1,
  contextTokens: 10,
  budget: { state: "own", granted: { requests: 3 }, left: { requests: 2 } },
  permissions: { revision: 1, mode: "plan", rules: [] },
  profile: { name: "fast", chosen: null },
  intent: { stage: "selected", id: "INT-1" },
  control: { protocol: "p", state: { audits: 1 } },
  pause: "asked",
  wakeUps: [{ id: "w1", at: 60, message: "words" }],
  compaction: { state: "requested", by: "user", instructions: "" },
  model: { provider: "p", id: "m" },
};
const factsChanged = (facts: Partial<DurableFacts>): TaskEmitted => ({ type: "facts.changed", facts });

describe("a fact is recorded as in the context (L11)", () => {
  it.each(FACT_NAMES)("%s", (name) => {
    const other = { [name]: OTHERS[name] };
    const differs = new RegExp(`^${name} differs from the recorded value$`);
    expect(found({ after: other, emitted: [factsChanged(other)] })).toBeUndefined();
    expect(found({ after: other, emitted: [factsChanged(structuredClone(other))] })).toBeUndefined();
    expect(found({ after: other })).toMatch(differs);
    expect(found({ emitted: [factsChanged(other)] })).toMatch(differs);
    expect(found({ after: other, emitted: [factsChanged({ [name]: fresh[name] })] })).toMatch(differs);
  });

  it("but is not checked when unchanged", () => {
    expect(found({ before: OTHERS })).toBeUndefined();
    expect(found({ earlier: [factsChanged(OTHERS)] })).toBeUndefined();
    expect(
      found({ before: OTHERS, after: { mode: "ask" }, emitted: [factsChanged({ mode: "ask" })] }),
    ).toBeUndefined();
  });
});

const queue = [{ id: "q1", text: "words", images: [] }];
const message = say(1, "text", { text: "words" });
const entry = { role: "user", content: [{ type: "text", text: "words" }] } as const;
const conversation = PersistentList.of(entry);

describe("the lists are recorded as in the context (L11)", () => {
  it.each<[name: string, after: StepParts["after"], event: TaskEmitted]>([
    ["queue", { queue }, { type: "queue.changed", queue: structuredClone(queue) }],
    ["log", { log: logOf(message) }, appended({ ...message })],
    ["conversation", { conversation }, { type: "entry.appended", entry }],
  ])("the %s", (name, after = {}, event) => {
    const differs = new RegExp(`^the ${name} differs from the recorded ${name}$`);
    expect(found({ after, emitted: [event] })).toBeUndefined();
    expect(found({ after })).toMatch(differs);
    expect(found({ emitted: [event] })).toMatch(differs);
  });

  it("the log with its current last message", () => {
    const parts = { before: { log: logOf(message) }, earlier: [appended(message)] };
    const after = { log: logOf({ ...message, text: "other" }) };
    const amended: TaskEmitted = { type: "message.amended", ts: 1, patch: { text: "other" } };
    expect(found({ ...parts, after, emitted: [amended] })).toBeUndefined();
    expect(found({ ...parts, after })).toMatch(/^the log differs/);
  });

  it("the log with all its messages", () => {
    const first = say(0, "text");
    const parts = { after: { log: logOf(first, message) } };
    expect(found({ ...parts, emitted: [appended(first), appended(message)] })).toBeUndefined();
    expect(found({ ...parts, emitted: [appended(message)] })).toMatch(/^the log differs/);
  });

  it.each<[name: string, before: StepParts["before"]]>([
    ["queue", { queue }],
    ["log", { log: logOf(message) }],
    ["conversation", { conversation }],
  ])("the %s is checked when anything changed and when a task is reopened", (name, before = {}) => {
    const differs = new RegExp(`^the ${name} differs from the recorded ${name}$`);
    expect(found({ before })).toBeUndefined();
    expect(found({ before, past })).toMatch(differs);
    expect(found({ before, emitted: [factsChanged({ mode: fresh.mode })] })).toMatch(differs);
  });
});

/** The recorded call of each durable phase. */
const RECORDS: readonly RecordedCall[] = [
  { ...callOf("c1", "asking"), phase: "asking" },
  { ...stopped("c1"), phase: "running" },
  stopped("c1"),
  delegated("c1"),
  settled("c1"),
];
const becomes = (call: ToolCall, ...records: readonly RecordedCall[]) =>
  found({ after: { turn: turnOf(call) }, emitted: records.map(recorded) });

describe("the phase of a call is recorded (L11)", () => {
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

  it.each(["planned", "deciding", "decided", "approved"] as const)(
    "as asked or not at all while it is only %s (L1)",
    (phase) => {
      const call = callOf("c1", phase);
      expect(becomes(call)).toBeUndefined();
      for (const record of RECORDS) {
        const untold = record.phase === "asking" ? undefined : `c1 is ${phase} and is not recorded so`;
        expect(becomes(call, record)).toBe(untold);
      }
    },
  );

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

  it("with the text of its answer", () => {
    const feedback = { text: "but gently", images: [] };
    const other = { text: "but quickly", images: [] };
    const runs: ToolCall = { ...running("c1"), feedback };
    const factsChanged: RecordedCall = {
      ...stopped("c1"),
      phase: "running",
      replayable: runs.review.replayable,
    };
    expect(becomes(runs, { ...factsChanged, feedback })).toBeUndefined();
    expect(becomes(runs, { ...factsChanged, feedback: other })).toMatch(/^c1 is running/);
    for (const call of [stopped("c1"), delegated("c1")]) {
      expect(becomes({ ...call, feedback }, { ...call, feedback })).toBeUndefined();
      expect(becomes({ ...call, feedback }, call)).toMatch(/^c1 is (stopped|delegated)/);
    }
  });

  it("in the macrostep of its change, whatever the other calls do", () => {
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

  it("but a reopened task has its calls from the recorded state", () => {
    expect(found({ past, after: { turn: turnOf(settled("c1", "uncertain")) } })).toBeUndefined();
  });

  it.each([
    ["a turn", undefined],
    ["an opening", past],
  ])("and is removed with its turn, at the end of %s", (_, opening) => {
    const step = { earlier: [recorded(stopped("c1"))], ...(opening !== undefined && { past: opening }) };
    expect(found(step)).toMatch(/^c1 is recorded and is no call of the turn$/);
    expect(found({ ...step, emitted: [{ type: "turn.ended" }] })).toBeUndefined();
    const turn = turnOf(stopped("c1"));
    expect(found({ ...step, before: { turn }, after: { turn } })).toBeUndefined();
  });
});
