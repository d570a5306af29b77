import { expect, test } from "vitest";
import { emptyParts } from "../../../machines/task/commit.ts";
import type { Decision, RecordedCall } from "../../../machines/tool-call/call.ts";
import type { ControlRecord } from "../../../machines/tool-call/control.ts";
import { TaskEvents } from "../../../tools/temporal/task-events.ts";

const identity = { callId: "1/t", toolUseId: "t", name: "write_to_file", ask: "tool" } as const;
const running: RecordedCall = { ...identity, phase: "running", replayable: false };
const settled: RecordedCall = { ...identity, phase: "settled", outcome: { kind: "done", content: [] } };
const decision: Decision = { callId: "1/t", digest: "d", by: { rule: "r" }, at: 1 };
const response = {
  type: "entry.appended",
  entry: {
    role: "assistant",
    content: [{ type: "tool_use", id: "t", name: "write_to_file", input: { path: "a" } }],
  },
} as const;

test("the commits of a task are read as its prompts, requests, modes and calls", () => {
  const reader = new TaskEvents();
  const start = reader.eventsIn({
    ...emptyParts,
    seq: 1,
    cause: { type: "task.start" },
    facts: { mode: "code" },
    log: [{ type: "message.appended", message: { ts: 1, type: "say", say: "api_req_started" } }],
  });
  expect(start).toEqual([
    { kind: "prompt", seq: 1 },
    { kind: "request", seq: 1 },
    { kind: "mode", mode: "code", seq: 1 },
  ]);
  expect(reader.eventsIn({ ...emptyParts, conversation: [response] })).toEqual([]);
  const facts = {
    tool: "write_to_file",
    effect: "writes",
    paths: ["a"],
    arguments: { path: ["a"] },
    by: "policy",
  };
  const begun = { ...emptyParts, decisions: [decision], calls: [running] };
  expect(reader.eventsIn(begun)).toEqual([{ kind: "call.started", ...facts }]);
  expect(reader.eventsIn(begun)).toEqual([]);
  expect(reader.eventsIn({ ...emptyParts, calls: [settled], turnEnded: true })).toEqual([
    { kind: "call.ended", ...facts, outcome: "done" },
  ]);
});

test("a call has the arguments that a hook set, and who approved it", () => {
  const reader = new TaskEvents();
  const byPerson: Decision = { ...decision, by: { person: true }, input: { path: "b" } };
  expect(
    reader.eventsIn({ ...emptyParts, conversation: [response], decisions: [byPerson], calls: [running] }),
  ).toEqual([
    {
      kind: "call.started",
      tool: "write_to_file",
      effect: "writes",
      paths: ["b"],
      arguments: { path: ["b"] },
      by: "person",
    },
  ]);
});

test("a call has the arguments that its start records, and else those that the model sent", () => {
  const reader = new TaskEvents();
  const judged = { effect: "writes", arguments: { customer: ["ann"], order: [] } } as const;
  const input = { customer: "bob", order: 7, note: "x" };
  const content = [{ type: "tool_use", id: "t", name: "write_to_file", input }] as const;
  const conversation = [{ ...response, entry: { ...response.entry, content } }];
  expect(
    reader.eventsIn({ ...emptyParts, conversation, calls: [{ ...running, facts: judged }] }),
  ).toMatchObject([{ arguments: { customer: ["ann"], order: [], note: ["x"] } }]);
});

test("a copy reads later commits alike, has the same key, and changes nothing of the original", () => {
  const numberOf = (id: string): number => ["t", "1/t"].indexOf(id);
  const begun = { ...emptyParts, conversation: [response], decisions: [decision], calls: [running] };
  const reader = new TaskEvents();
  const empty = reader.key(numberOf);
  reader.eventsIn(begun);
  const copy = reader.copy();
  const key = reader.key(numberOf);
  expect(copy.key(numberOf)).toBe(key);
  const ended = { ...emptyParts, calls: [settled], turnEnded: true };
  const events = copy.eventsIn(ended);
  expect(copy.key(numberOf)).toBe(empty);
  expect(reader.key(numberOf)).toBe(key);
  expect(reader.eventsIn(ended)).toEqual(events);
});

test("readers of calls with other arguments, approvers or starts have other keys", () => {
  const keyAfter = (input: Record<string, unknown>, by: Decision["by"], ...calls: RecordedCall[]) => {
    const reader = new TaskEvents();
    const content = [{ type: "tool_use", id: "t", name: "write_to_file", input }] as const;
    const conversation = [{ ...response, entry: { ...response.entry, content } }];
    reader.eventsIn({ ...emptyParts, conversation, decisions: [{ ...decision, by }], calls });
    return reader.key(() => 0);
  };
  const keys = [
    keyAfter({ path: "a" }, { rule: "r" }),
    keyAfter({ path: "b" }, { rule: "r" }),
    keyAfter({ path: "a" }, { person: true }),
    keyAfter({ path: "a" }, { rule: "r" }, running),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(keyAfter({ path: "a" }, { rule: "another" })).toBe(keys[0]);
});

const CONTROL = { author: "untrusted", digest: "d" } as const;
const judgedCall = (verdict: string, score: number, author: ControlRecord["author"] = "untrusted") =>
  ({ ...CONTROL, point: "call", callId: "1/t", author, verdict, scores: { trusted: score } }) as const;

test("each decision of the protocol is an event, and a call has the newest one about it when it starts and ends", () => {
  const reader = new TaskEvents();
  const sent = { tool: "write_to_file", effect: "writes", paths: ["a"], arguments: { path: ["a"] } };
  const judgedResponse = {
    ...CONTROL,
    point: "response",
    verdict: "audit",
    scores: {},
    audit: "harmless",
  } as const;
  expect(reader.eventsIn({ ...emptyParts, seq: 1, control: [judgedResponse] })).toEqual([
    { kind: "response.judged", verdict: "audit", author: "untrusted", scores: {}, seq: 1 },
  ]);
  const about = { author: "untrusted", scores: { trusted: 0.9 } };
  expect(
    reader.eventsIn({ ...emptyParts, conversation: [response], control: [judgedCall("audit", 0.9)] }),
  ).toEqual([{ kind: "call.judged", ...sent, ...about, verdict: "audit" }]);
  const again = { verdict: "pass", author: "untrusted", scores: { trusted: 0.1 } };
  reader.eventsIn({ ...emptyParts, control: [judgedCall("pass", 0.1)] });
  expect(reader.decisionAbout("1/t")).toEqual(again);
  expect(reader.eventsIn({ ...emptyParts, decisions: [decision], calls: [running] })).toEqual([
    { kind: "call.started", ...sent, ...again, by: "policy" },
  ]);
  const result = {
    ...CONTROL,
    point: "result",
    callId: "1/t",
    verdict: "deny",
    scores: { other: 1 },
  } as const;
  expect(reader.eventsIn({ ...emptyParts, control: [result], calls: [settled], turnEnded: true })).toEqual([
    { kind: "result.judged", ...sent, verdict: "deny", author: "untrusted", scores: { other: 1 } },
    { kind: "call.ended", ...sent, ...again, by: "policy", outcome: "done" },
  ]);
  expect(reader.decisionAbout("1/t")).toEqual({});
});

test.each(["replace", "modify"])(
  "the call that a verdict %s puts in place of another has no facts until it starts",
  (verdict) => {
    const reader = new TaskEvents();
    reader.eventsIn({ ...emptyParts, conversation: [response], control: [judgedCall(verdict, 0.9)] });
    const written = { ...emptyParts, control: [judgedCall("pass", 0, "trusted")] };
    expect(reader.eventsIn(written)).toEqual([
      { kind: "call.judged", verdict: "pass", author: "trusted", scores: { trusted: 0 } },
    ]);
    const byTrusted = { ...decision, input: { command: "ls" } };
    const called: RecordedCall = { ...running, name: "execute_command", author: "trusted" };
    expect(reader.eventsIn({ ...emptyParts, decisions: [byTrusted], calls: [called] })).toMatchObject([
      { kind: "call.started", tool: "execute_command", command: "ls", author: "trusted", verdict: "pass" },
    ]);
  },
);

test("readers of calls with other decisions of the protocol have other keys, and a copy has the same decisions", () => {
  const readerAfter = (...control: ControlRecord[]) => {
    const reader = new TaskEvents();
    reader.eventsIn({ ...emptyParts, conversation: [response], control });
    return reader;
  };
  const readers = [
    readerAfter(),
    readerAfter(judgedCall("pass", 0.1)),
    readerAfter(judgedCall("pass", 0.9)),
    readerAfter(judgedCall("audit", 0.9)),
  ];
  expect(new Set(readers.map((reader) => reader.key(() => 0))).size).toBe(readers.length);
  for (const reader of readers)
    expect(reader.copy().decisionAbout("1/t")).toEqual(reader.decisionAbout("1/t"));
});

test("an argument that is recorded as not compared is not read from what the model sent", () => {
  const reader = new TaskEvents();
  const input = { branch: "x".repeat(1_001), note: "y".repeat(1_001), tag: "z".repeat(1_001) };
  const content = [{ type: "tool_use", id: "t", name: "write_to_file", input }] as const;
  const conversation = [{ ...response, entry: { ...response.entry, content } }];
  const facts = {
    effect: "writes",
    arguments: { branch: ["main"], note: [] },
    notCompared: ["note"],
  } as const;
  expect(reader.eventsIn({ ...emptyParts, conversation, calls: [{ ...running, facts }] })).toMatchObject([
    { arguments: { branch: ["main"] }, notCompared: ["tag", "note"] },
  ]);
});
