import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { JournalParser } from "../../../store/journal/reader.ts";
import type { EvalEvent, EvalLog } from "../../../wire/inspect/eval-log.ts";
import type { RecordedTask } from "../../../wire/inspect/sample-events.ts";
import { toInspect } from "../../../wire/inspect/to-inspect.ts";
import type { CommitRecord, JournalRecord } from "../../../wire/journal/record.ts";
import { violationsIn } from "./schema.ts";

const CORPUS = fileURLToPath(new URL("../../fixtures/journals/", import.meta.url));
const FILES = readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".jsonl"))
  .toSorted();

function recorded(file: string): RecordedTask {
  const records = [...new JournalParser(file).push(readFileSync(path.join(CORPUS, file)))];
  return taskOf(records, (id) => {
    const sibling = path.join(path.dirname(file), `${id}.jsonl`);
    return FILES.includes(sibling) ? recorded(sibling) : undefined;
  });
}

function taskOf(records: readonly JournalRecord[], subtask: RecordedTask["subtask"]): RecordedTask {
  const [header] = records;
  if (header?.kind !== "header") throw new Error("Expected a header.");
  return { header, records, subtask };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const exported = (task: RecordedTask): EvalLog => toInspect(task, digest);
const eventsOf = (log: EvalLog): readonly EvalEvent[] => log.samples.flatMap(({ events }) => events);
const countOf = (log: EvalLog, event: string, span: string): number =>
  eventsOf(log).filter((each) => each.event === event && each.span_id === span).length;

describe.each(FILES)("the exported log of %s", (file) => {
  const task = recorded(file);
  const log = exported(task);
  const commits = task.records.filter((record): record is CommitRecord => record.kind === "commit");
  const count = (event: string): number => countOf(log, event, task.header.taskId);

  test("is valid by Inspect's schemas", () => {
    expect(violationsIn(log)).toEqual([]);
  });

  test("has as many requests, approvals, calls and changes of the state as the journal", () => {
    const effects = commits.flatMap((commit) => commit.effects);
    const requests = effects.filter(
      ({ type, effect }) => type === "effect.started" && (effect === "llm" || effect === "condense"),
    );
    expect(count("model")).toBe(requests.length);
    const calls = commits.flatMap((commit) => commit.calls);
    const kinds = new Map(
      calls.flatMap((call) =>
        call.phase === "asking" ? [] : [[call.callId, "outcome" in call ? call.outcome.kind : call.phase]],
      ),
    );
    expect(count("tool")).toBe(kinds.size);
    const denied = [...kinds.values()].filter((kind) => kind === "denied").length;
    expect(count("approval")).toBe(commits.flatMap(({ decisions }) => decisions).length + denied);
    expect(count("state")).toBe(commits.filter(({ before, after }) => before !== after).length);
  });

  test("has each call with the arguments of a response", () => {
    const calls = new Set(
      log.samples.flatMap(({ messages }) =>
        messages.flatMap((message) =>
          message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [],
        ),
      ),
    );
    const own = eventsOf(log).filter(({ span_id }) => span_id === task.header.taskId);
    const tools = own.filter(({ event }) => event === "tool");
    expect([...calls]).toEqual(expect.arrayContaining(tools.map(({ id }) => id)));
    expect(tools.filter((tool) => Object.keys(tool.arguments as object).length === 0)).toEqual([]);
    expect(JSON.stringify(own.filter(({ event }) => event === "approval"))).not.toContain('"unknown"');
  });

  test("has its events in the order in which they started", () => {
    const starts = eventsOf(log).map(({ working_start }) => working_start);
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  });

  test("has an attachment for each text that stands elsewhere", () => {
    const [sample] = log.samples;
    const named = [...JSON.stringify(sample?.events).matchAll(/attachment:\/\/(\w+)/g)].map(([, key]) => key);
    expect(Object.keys(sample?.attachments ?? {})).toEqual(expect.arrayContaining(named));
  });

  test("is valid for each prefix of the journal", () => {
    for (let end = 1; end < task.records.length; end += 1)
      expect(violationsIn(exported(taskOf(task.records.slice(0, end), task.subtask)))).toEqual([]);
  });
});

test("the events of a subtask are between the start and the end of the call that started it", () => {
  const events = eventsOf(exported(recorded("2026-11/task.jsonl")));
  const spans = events
    .filter(({ event }) => event.startsWith("span_"))
    .map(({ event, id }) => `${event} ${id}`);
  expect(spans).toEqual(["span_begin task", "span_begin task.1", "span_end task.1", "span_end task"]);
});

const TASK = recorded("2026-11/task.jsonl");

test("a call whose end is not recorded has an uncertain outcome", () => {
  const { records, subtask } = recorded("v1/commanding.jsonl");
  const tool = eventsOf(exported(taskOf(records, subtask))).findLast(({ event }) => event === "tool");
  expect(tool).toMatchObject({
    function: "execute_command",
    failed: true,
    error: { type: "cancelled", message: "The journal has no end of this call." },
    metadata: { outcome: "uncertain" },
  });
});

test("a call has the result that its hooks let pass, not the notice that was recorded before they saw it", () => {
  const isSettled = (record: JournalRecord): record is CommitRecord =>
    record.kind === "commit" &&
    record.calls.some((call) => call.phase === "settled" && call.outcome.kind === "done");
  const at = TASK.records.findIndex(isSettled);
  const settling = TASK.records.find(isSettled);
  if (settling === undefined) throw new Error("Expected a commit that settles a call.");
  const notice = { kind: "failed", content: [{ type: "text", text: "Withheld." }] } as const;
  const ending: CommitRecord = {
    ...settling,
    ...{ after: settling.before, log: [], conversation: [], effects: [], decisions: [] },
    calls: settling.calls.map((call) => ({ ...call, phase: "ended" as const, outcome: notice })),
  };
  const toolsOf = (records: readonly JournalRecord[]) =>
    eventsOf(exported(taskOf(records, TASK.subtask))).filter(({ event }) => event === "tool");
  expect(toolsOf(TASK.records.toSpliced(at, 0, ending))).toEqual(toolsOf(TASK.records));
  const cut = toolsOf([...TASK.records.slice(0, at), ending]);
  expect(cut.at(-1)).toMatchObject({ metadata: { outcome: "failed" }, result: notice.content });
});

test("a request that its process left open ends before the task is resumed", () => {
  const { records, subtask } = recorded("v1/streaming.jsonl");
  const request = records.findLast(
    (record): record is CommitRecord =>
      record.kind === "commit" && record.effects.some(({ effect }) => effect === "llm"),
  );
  if (request === undefined) throw new Error("Expected a request.");
  const resumed = { ...request, at: request.at + 3_600_000, log: [], conversation: [] };
  const events = eventsOf(exported(taskOf([...records, resumed], subtask)));
  const [first, second] = events.filter(({ event }) => event === "model").slice(-2);
  expect(first).toMatchObject({ error: "The process of the task ended." });
  expect(Number(first?.working_time)).toBeLessThan(3600);
  expect(Number(second?.working_start) - Number(first?.working_start)).toBe(3600);
});

test("a request for a summary has the summary as its response", () => {
  const { records, subtask } = recorded("v1/streaming.jsonl");
  const request = records.findLast((record): record is CommitRecord => record.kind === "commit");
  if (request === undefined) throw new Error("Expected a commit.");
  const summary = "All was read, and nothing of it has to be read again before the tests.";
  const commit = { ...request, ...{ log: [], conversation: [], calls: [], decisions: [] } };
  const condense = { effect: "condense", id: "condense" } as const;
  const log = exported(
    taskOf(
      [
        ...records,
        { ...commit, effects: [{ type: "effect.started", ...condense }] },
        {
          ...commit,
          cause: { type: "condense.finished", at: request.at },
          log: [{ type: "message.amended", ts: 1, patch: { contextCondense: { summary } } }],
          effects: [{ type: "effect.stopped", ...condense }],
        },
      ],
      subtask,
    ),
  );
  const event = eventsOf(log).find(({ role }) => role === "condense");
  expect(event).toMatchObject({ output: { completion: summary } });
});

test("each score of a monitor is a score event, with its rationale and the verdict", () => {
  const judged = {
    point: "call",
    callId: "c1",
    author: "untrusted",
    digest: "d1",
    verdict: "audit",
  } as const;
  const control = [
    {
      ...judged,
      scores: { trusted: 0.9, diff: 0.2 },
      rationales: { trusted: "It sends a key." },
      dollars: 0.1,
    },
  ];
  const at = TASK.records.findIndex(({ kind }) => kind === "commit");
  const records = TASK.records.map((record, index) => (index === at ? { ...record, control } : record));
  const log = exported(taskOf(records, TASK.subtask));
  expect(violationsIn(log)).toEqual([]);
  expect(eventsOf(log).filter(({ event }) => event === "score")).toMatchObject([
    {
      scorer: "trusted",
      intermediate: true,
      score: { value: 0.9, explanation: "It sends a key." },
      metadata: judged,
    },
    { scorer: "diff", score: { value: 0.2 } },
  ]);
});
