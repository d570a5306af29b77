import { describe, expect, test } from "vitest";
import { type JournalDraft, journalRecordSchema } from "../../../wire/journal/record.ts";

const commit: JournalDraft = {
  seq: 4,
  kind: "commit",
  at: 10,
  cause: { type: "llm.failed", at: 10, requestId: 2, failure: { code: "overloaded_error" } },
  before: "streaming.receiving",
  after: "running.retrying",
  log: [
    {
      type: "message.appended",
      message: { ts: 1, type: "ask", ask: "tool", text: null, partial: true, callId: "c1" },
    },
    { type: "message.grown", ts: 1, text: "x" },
    { type: "message.amended", ts: 1, patch: { partial: false, closing: "answered", isAnswered: true } },
    { type: "log.truncated", length: 1 },
    { type: "log.replaced", messages: [{ ts: 1, type: "say", say: "unknown_kind" }] },
  ],
  conversation: [
    {
      type: "entry.appended",
      entry: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "redacted_thinking", data: "d" },
          { type: "text", text: "t" },
          {
            type: "tool_use",
            id: "u1",
            name: "read_file",
            input: { path: "a", nested: { deep: [1, null] } },
          },
        ],
      },
    },
    {
      type: "entry.extended",
      content: [
        { type: "tool_result", tool_use_id: "u1", content: [{ type: "text", text: "r" }], is_error: true },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
      ],
    },
  ],
  decisions: [
    { callId: "c1", digest: "ab", by: { person: true }, at: 9 },
    { callId: "c2", digest: "cd", by: { rule: "reads" }, at: 9 },
  ],
  queue: [{ id: "q", text: "later", images: [] }],
  effects: [
    { type: "effect.started", effect: "tool", id: "c1" },
    { type: "effect.stopped", effect: "llm", id: "2" },
  ],
  reports: [
    { type: "task.rested", taskId: "t", ask: "resume_task" },
    {
      type: "task.completed",
      taskId: "t",
      result: "done",
      usage: { tokensIn: 1, tokensOut: 2, cacheWrites: 3, cacheReads: 4, cost: 0.5 },
    },
  ],
  turnEnded: true,
  calls: [
    { callId: "c", toolUseId: "u", name: "n", ask: "tool", row: 3, phase: "asking" },
    { callId: "d", toolUseId: "v", name: "n", ask: "command", phase: "running", replayable: false },
    {
      callId: "e",
      toolUseId: "w",
      name: "new_task",
      ask: "tool",
      phase: "delegated",
      input: { mode: "code" },
      childId: "t.1",
      feedback: { text: "so", images: [] },
    },
    {
      callId: "f",
      toolUseId: "x",
      name: "n",
      ask: "tool",
      phase: "settled",
      outcome: { kind: "done", content: [{ type: "text", text: "ok" }] },
    },
  ],
  facts: {
    pending: [{ type: "text", text: "words" }],
    background: [{ callId: "g", command: "sleep 9" }],
    counters: {
      mistakes: 1,
      noToolUses: 0,
      retries: 2,
      pauses: 0,
      requests: 3,
      cost: 0.5,
      repeated: { digest: "d", times: 1 },
      cycles: [{ digest: "e", times: 2 }],
    },
    retryAt: 12,
    requestedAt: 11,
    failedDiffs: [{ file: "a.txt", times: 2 }],
    total: { tokensIn: 1, tokensOut: 2, cacheWrites: 3, cacheReads: 4, cost: 0.5 },
    result: "done",
    mode: "code",
    children: 1,
  },
};

const header: JournalDraft = {
  seq: 0,
  kind: "header",
  version: 1,
  taskId: "t",
  createdAt: 5,
  workspace: "/w",
  title: "x",
};
const version: JournalDraft = { seq: 3, kind: "version", at: 9, version: 3 };
const effectEnds: JournalDraft[] = [
  { seq: 5, kind: "effect.end", at: 11, callId: "c1", content: [{ type: "text", text: "r" }] },
  { seq: 6, kind: "effect.end", at: 12, callId: "c2", content: "uncertain" },
];

describe("a journal's record", () => {
  test.each([header, version, commit, ...effectEnds])("of kind $kind is unchanged after JSON", (record) => {
    expect(journalRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });

  test("of a version without cycles of calls is unchanged", () => {
    const counters = { mistakes: 0, noToolUses: 0, retries: 0, pauses: 0, requests: 1, cost: 0 };
    const facts = { counters: { ...counters, repeated: { digest: "d", times: 2 } } };
    const record = { seq: 1, kind: "commit", at: 1, before: "a", after: "b", facts };
    expect(journalRecordSchema.parse(record)).toMatchObject({ facts });
  });

  test("without its empty lists has them after parsing", () => {
    expect(journalRecordSchema.parse({ seq: 1, kind: "commit", at: 1, before: "a", after: "b" })).toEqual({
      seq: 1,
      kind: "commit",
      at: 1,
      before: "a",
      after: "b",
      log: [],
      conversation: [],
      decisions: [],
      turnEnded: false,
      calls: [],
      effects: [],
      reports: [],
    });
  });

  test("keeps unknown fields of messages and blocks", () => {
    const message = { ts: 1, type: "say", say: "text", unknown: true };
    const block = { type: "text", text: "t", citations: [1] };
    const record = {
      ...{ seq: 1, kind: "commit", at: 1, before: "a", after: "b" },
      log: [{ type: "message.appended", message }],
      conversation: [{ type: "entry.appended", entry: { role: "user", content: [block] } }],
    };
    expect(journalRecordSchema.parse(record)).toMatchObject({
      log: [{ message }],
      conversation: [{ entry: { content: [block] } }],
    });
  });

  test.each([
    ["a header with another seq than 0", { ...header, seq: 3 }],
    ["an unknown ask in a report", { ...commit, reports: [{ type: "task.rested", taskId: "t", ask: "hm" }] }],
    ["an unknown effect", { ...commit, effects: [{ type: "effect.started", effect: "magic", id: "1" }] }],
    ["an unknown kind", { seq: 1, kind: "note" }],
    ["a decision without a decider", { ...commit, decisions: [{ callId: "c", digest: "d", by: {}, at: 1 }] }],
  ])("with %s is rejected", (_name, record) => {
    expect(journalRecordSchema.safeParse(record).success).toBe(false);
  });
});
