import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { check, type Rule } from "./check.ts";
import type { CheckedTask, History, Requested, Seen } from "./history.ts";
import { ASK, familyHistory, type HistoryChanges, type Json, shortHistory } from "./short-history.ts";

/** Replace a record. */
const changed =
  (seq: number, change: Json): NonNullable<HistoryChanges["records"]> =>
  (records) =>
    records.map((record) => (record.seq === seq ? { ...record, ...change } : record));
const renumbered = (records: readonly Json[]): readonly Json[] =>
  records.map((record, seq) => ({ ...record, seq }));
const withRows = (change: (rows: CheckedTask["rows"]) => CheckedTask["rows"]): HistoryChanges => ({
  task: (task) => ({ ...task, rows: change(task.rows) }),
});
/** An event that stands for all records up to this one. */
const unwritten = (event: Seen | undefined, at: number): Seen => {
  if (event === undefined) throw new Error("Expected an event.");
  return { ...event, data: { ...event.data, record: { ...event.data.record, at }, durable: false } };
};
const without = <T>(items: readonly T[], index: number): readonly T[] => items.filter((_, n) => n !== index);
/** A message through a server that waits in the queue some times. */
const withRequest = (times: number, outcome: Requested["outcome"]): History => {
  const queue = Array.from({ length: times }, () => ({ text: "also." }));
  const history = shortHistory({ records: changed(4, { queue }), seen: true });
  const command = { kind: "message", text: "also." } as const;
  return { ...history, requests: [{ task: "task-1", via: "server", outcome, command }] };
};
const answered: Json = {
  kind: "commit",
  cause: { type: "ask.answered", askId: ASK },
  before: "idle.completing",
  after: "idle.completing",
};

test("a history in which nothing is lost or repeated breaks no rule", () => {
  expect(check(shortHistory())).toEqual([]);
});

test("an owner that changes at any row breaks no rule", () => {
  const claims = withRows((rows) => [
    ...rows.slice(0, 4),
    { n: 4, from: rows[4]?.from ?? 0, content: "" },
    ...rows.slice(4).map((row) => ({ ...row, n: row.n + 1 })),
  ]);
  expect(check(shortHistory(claims))).toEqual([]);
});

test.each<[Rule, string, HistoryChanges]>([
  ["journal", "a missing row", withRows((rows) => without(rows, 3))],
  [
    "journal",
    "a row at another byte",
    withRows((rows) => rows.map((row) => ({ ...row, from: row.n === 3 ? row.from + 1 : row.from }))),
  ],
  [
    "journal",
    "half a row",
    withRows((rows) => rows.map((row) => (row.n === 7 ? { ...row, content: row.content.slice(0, 9) } : row))),
  ],
  ["journal", "a missing record", { records: (records) => without(records, 3), seen: true }],
  ["journal", "a record that is there twice", { records: (all) => [...all, ...all.slice(-1)], seen: true }],
  ["stream", "a committed record that was lost", { records: (records) => records.slice(0, -1) }],
  ["stream", "a committed record that was changed", { records: changed(3, { at: 7 }) }],
  ["stream", "an event that no client saw", { events: (events) => without(events, 3) }],
  ["stream", "an event that a client saw twice", { events: (all) => [...all.slice(0, 4), ...all.slice(3)] }],
  ["stream", "events in another order", { events: (all) => all.toReversed() }],
  ["stream", "a stream that ends too early", { events: (events) => events.slice(0, -1) }],
  ["command", "a command that was never taken", { records: changed(1, { inbox: undefined }), seen: true }],
  [
    "command",
    "a command that was taken twice",
    { records: changed(6, { inbox: { position: 2 } }), seen: true },
  ],
  ["command", "a command that still waits", { task: (task) => ({ ...task, waiting: 1 }) }],
  ["command", "a command that nobody sent", { records: changed(6, { inbox: { position: 3 } }), seen: true }],
  [
    "command",
    "a command with two positions",
    { commands: (all) => all.flatMap((sent) => [sent, { ...sent, position: 3 - sent.position }]) },
  ],
  ["message", "a text that was lost", { records: changed(1, { conversation: [] }), seen: true }],
  [
    "message",
    "a text that was delivered twice",
    {
      records: (records) => {
        const { conversation } = records[1] ?? {};
        return changed(6, { conversation })(records);
      },
      seen: true,
    },
  ],
  [
    "message",
    "a text of a refused command",
    { records: changed(5, { inbox: { position: 2, refused: "ASK_CLOSED" } }), seen: true },
  ],
  ["effect", "an effect that ran twice", { effects: ["task-1 one", "task-1 one"] }],
  ["effect", "an effect without a recorded call", { effects: ["task-1 one", "task-1 two"] }],
  ["effect", "a recorded success without its effect", { effects: [] }],
  ["effect", "an effect of an unknown task", { effects: ["task-1 one", "task-2 one"] }],
  [
    "ask",
    "an ask that was answered twice",
    { records: (records) => renumbered([...records, answered]), seen: true },
  ],
  [
    "ask",
    "an ask that nobody answered",
    { records: changed(5, { cause: { type: "task.cancel" } }), seen: true },
  ],
  [
    "ask",
    "an ask that was answered and withdrawn",
    {
      records: changed(6, { log: [{ type: "message.amended", ts: ASK, patch: { closing: "withdrawn" } }] }),
      seen: true,
    },
  ],
  ["ask", "an answer without a command", { commands: (commands) => commands.slice(0, 1) }],
  ["end", "a task that still works", { records: changed(6, { after: "streaming" }), seen: true }],
  ["end", "a task that did not complete", { records: changed(6, { facts: {} }), seen: true }],
  ["end", "a task that has an owner", { task: (task) => ({ ...task, owner: "worker" }) }],
])("breaks the rule %s: %s", (rule, _, changes) => {
  expect(check(shortHistory(changes)).map((violation) => violation.rule)).toContain(rule);
});

test("text that no record has, and records that a client saw before they were written, break no rule", () => {
  const { tasks, ...history } = shortHistory({ records: changed(5, { at: 7 }), seen: true });
  const { events } = history;
  const [third] = events.slice(3);
  const seen = [...events.slice(0, 3), unwritten(events[5], 7), ...events.slice(6)];
  expect(check({ ...history, tasks, events: seen })).toEqual([]);
  const growth = third === undefined ? [] : [{ ...third, id: "9.3.1.-.0" }];
  expect(
    check({ ...history, tasks, events: [...events.slice(0, 4), ...growth, ...events.slice(4)] }),
  ).toEqual([]);
});

test("a cancelled task need not complete", () => {
  const cancel = { task: "task-1", id: "c", position: 3, command: { kind: "cancel" } } as const;
  const history = shortHistory({
    records: changed(6, { after: "resumable", facts: {}, inbox: { position: 3 } }),
    seen: true,
    commands: (commands) => [...commands, cancel],
  });
  expect(check(history)).toEqual([]);
});

const settled = (kind: string): Json => ({ phase: "settled", outcome: { kind } });

test("a subtask whose result its call has breaks no rule", () => {
  expect(check(familyHistory(settled("done")))).toEqual([]);
});

test("a subtask need not complete if its parent is cancelled while it works", () => {
  expect(check(familyHistory(settled("stopped"), { kind: "dropped" }))).toEqual([]);
});

test.each<[string, History]>([
  ["a result that its call did not get", familyHistory(settled("failed"))],
  ["a result of a subtask that has not completed", familyHistory(settled("done"), { result: undefined })],
  ["a call with two subtasks", familyHistory({ phase: "delegated", childId: "other" })],
  ["a subtask without a call", familyHistory(settled("done"), { callId: "2/n" })],
])("breaks the rule of subtasks: %s", (_, history) => {
  expect(check(history).map((violation) => violation.rule)).toContain("subtask");
});

test.each<[string, number, Requested["outcome"]]>([
  ["was accepted and lost", 0, "accepted"],
  ["was accepted and is there twice", 2, "accepted"],
  ["was refused and is there", 1, "refused"],
  ["got no answer and is there twice", 2, "unknown"],
])("a message of a server that %s breaks the rule of messages", (_, times, outcome) => {
  expect(check(withRequest(times, outcome)).map(({ rule }) => rule)).toEqual(["message"]);
});

test.each<[number, Requested["outcome"]]>([
  [1, "accepted"],
  [0, "refused"],
  [0, "unknown"],
  [1, "unknown"],
])("a message of a server that is there %d times is right if it was %s", (times, outcome) => {
  expect(check(withRequest(times, outcome))).toEqual([]);
});

test("the checker imports nothing of the product", () => {
  const folder = new URL(".", import.meta.url);
  const imports = readdirSync(folder)
    .filter((name) => !name.endsWith(".test.ts"))
    .flatMap((name) => [
      ...readFileSync(new URL(name, folder), "utf8").matchAll(/(?:from|import\()\s*"([^"]+)"/g),
    ])
    .map(([, source = ""]) => source);
  expect(new Set(imports.filter((source) => !source.startsWith("node:")))).toEqual(
    new Set(["./history.ts", "./journal.ts", "./record.ts", "./subtasks.ts", "pg", "zod"]),
  );
});
