import { describe, expect, it } from "vitest";
import {
  applyParts,
  type CommitParts,
  emptyParts,
  emptyRecordedState,
  mergeParts,
  nonEmptyParts,
  partsOf,
} from "../../../machines/task/commit.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import type { Decision, RecordedCall } from "../../../machines/tool-call/call.ts";

const call: RecordedCall = { callId: "a", toolUseId: "tu", name: "t", ask: "tool", phase: "asking" };
const decision: Decision = { callId: "a", digest: "d", by: { person: true }, at: 1 };
const usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };
const emitted = {
  appended: { type: "message.appended", message: { ts: 1, type: "say", say: "text", text: "a" } },
  grown: { type: "message.grown", ts: 1, text: "b" },
  amended: { type: "message.amended", ts: 1, patch: { partial: false } },
  truncated: { type: "log.truncated", length: 0 },
  replaced: { type: "log.replaced", messages: [] },
  entry: { type: "entry.appended", entry: { role: "user", content: [] } },
  extended: { type: "entry.extended", content: [] },
  decided: { type: "decision.made", decision },
  queue: { type: "queue.changed", queue: [{ id: "q", text: "also", images: [] }] },
  ended: { type: "turn.ended" },
  call: { type: "call.changed", call },
  facts: { type: "facts.changed", facts: { mode: "ask" } },
  started: { type: "effect.started", effect: "llm", id: "llm" },
  stopped: { type: "effect.stopped", effect: "llm", id: "llm" },
  rested: { type: "task.rested", taskId: "t", ask: "tool" },
  completed: { type: "task.completed", taskId: "t", result: "done", usage },
  noted: { type: "event.noted" },
} as const satisfies Record<string, TaskEmitted>;

describe("the parts of a commit are the emitted events of its macrostep", () => {
  it.each<[keyof typeof emitted, Partial<CommitParts>]>([
    ["appended", { log: [emitted.appended] }],
    ["grown", { log: [emitted.grown] }],
    ["amended", { log: [emitted.amended] }],
    ["truncated", { log: [emitted.truncated] }],
    ["replaced", { log: [emitted.replaced] }],
    ["entry", { conversation: [emitted.entry] }],
    ["extended", { conversation: [emitted.extended] }],
    ["decided", { decisions: [decision] }],
    ["queue", { queue: emitted.queue.queue }],
    ["ended", { turnEnded: true }],
    ["call", { calls: [call] }],
    ["facts", { facts: { mode: "ask" } }],
    ["started", { effects: [emitted.started] }],
    ["stopped", { effects: [emitted.stopped] }],
    ["rested", { reports: [emitted.rested] }],
    ["completed", { reports: [emitted.completed] }],
    ["noted", {}],
  ])("%s", (name, parts) => {
    expect(partsOf([emitted[name]])).toEqual(parts);
  });

  it("excluding events of an extended machine", () => {
    const foreign = { type: "somebody.else" } as unknown as TaskEmitted;
    expect(partsOf([foreign])).toBeUndefined();
    expect(partsOf([])).toBeUndefined();
    expect(partsOf([foreign, emitted.grown, foreign])).toEqual({ log: [emitted.grown] });
  });

  it("in the order of emission", () => {
    expect(partsOf([emitted.appended, emitted.started, emitted.grown, emitted.stopped])).toEqual({
      log: [emitted.appended, emitted.grown],
      effects: [emitted.started, emitted.stopped],
    });
  });
});

describe("two merged commits", () => {
  const decisions = [decision, { ...decision, callId: "b" }];
  const other = { ...call, callId: "b" };

  it("have joined lists", () => {
    const earlier = { log: [emitted.appended], decisions: [decision], effects: [emitted.started] };
    const later = { log: [emitted.grown], decisions: decisions.slice(1), reports: [emitted.rested] };
    expect(mergeParts(earlier, later)).toEqual({
      log: [emitted.appended, emitted.grown],
      decisions,
      effects: [emitted.started],
      reports: [emitted.rested],
    });
    expect(earlier.log).toEqual([emitted.appended]);
  });

  it("have the later queue, also an empty one, and the newest of each fact", () => {
    const earlier: Partial<CommitParts> = { queue: emitted.queue.queue, facts: { mode: "ask", children: 1 } };
    expect(mergeParts(earlier, { queue: [], facts: { mode: "code" } })).toEqual({
      queue: [],
      facts: { mode: "code", children: 1 },
    });
    expect(mergeParts(earlier, {})).toEqual(earlier);
  });

  it("lose the calls before the end of a turn, not those after it", () => {
    expect(mergeParts({ calls: [call] }, { turnEnded: true, calls: [other] })).toEqual({
      calls: [other],
      turnEnded: true,
    });
    expect(mergeParts({ calls: [call] }, { turnEnded: false, calls: [other] })).toEqual({
      calls: [call, other],
    });
    expect(mergeParts({ turnEnded: true }, { turnEnded: true })).toEqual({ turnEnded: true, calls: [] });
    expect(mergeParts({ calls: [call], turnEnded: true }, {})).toEqual({ calls: [call], turnEnded: true });
  });
});

it("a record has the non-empty parts in field order", () => {
  const parts: CommitParts = {
    reports: [emitted.rested],
    effects: [],
    calls: [],
    turnEnded: false,
    decisions: [decision],
    conversation: [],
    log: [emitted.grown],
    facts: {},
    queue: [],
  };
  const recorded = nonEmptyParts(parts);
  expect(recorded).toEqual({
    log: [emitted.grown],
    decisions: [decision],
    queue: [],
    facts: {},
    reports: [emitted.rested],
  });
  expect(Object.keys(recorded)).toEqual(["log", "decisions", "queue", "facts", "reports"]);
  expect(nonEmptyParts({ ...parts, foreign: [1] } as CommitParts)).toEqual(recorded);
});

it("an empty commit has empty parts and changes nothing", () => {
  expect(emptyParts).toEqual({
    log: [],
    conversation: [],
    decisions: [],
    turnEnded: false,
    calls: [],
    effects: [],
    reports: [],
  });
  expect(nonEmptyParts(emptyParts)).toEqual({});
  expect(applyParts(emptyRecordedState, emptyParts)).toBe(emptyRecordedState);
});
