import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { detectAgentState } from "../../../../machines/message/detect.ts";
import { emptyRecordedState } from "../../../../machines/task/commit.ts";
import { monitorCommits } from "../../../../verify/monitor/commits.ts";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import type {
  TranscriptEntry,
  TranscriptEvent,
  TranscriptFile,
} from "../../../../visualize/trace/transcripts/transcript.ts";
import { applyRecord } from "../../../../wire/journal/apply-record.ts";
import { parseRecord } from "../../../../wire/journal/parse-record.ts";
import type { JournalRecord } from "../../../../wire/journal/record.ts";
import { fixture, TEXT_FIXTURES } from "./fixtures.ts";

const journals = (...files: readonly TranscriptFile[]): readonly (readonly JournalRecord[])[] =>
  readTranscripts(files).transcripts.map(recordsOfTranscript);

const journalsOf = (name: string) => journals(fixture(name));

/** The waits for a person that have not ended, by the effects of the records and by the last message. */
function openWaits(records: readonly JournalRecord[]): {
  effects: readonly string[];
  last: readonly string[];
} {
  const open = new Set<string>();
  let state = emptyRecordedState;
  for (const record of records) {
    state = applyRecord(state, record);
    for (const { type, effect, id } of record.kind === "commit" ? record.effects : []) {
      if (effect !== "ask") continue;
      if (type === "effect.started") open.add(id);
      else expect(open.delete(id), `${id} stops once`).toBe(true);
    }
  }
  const last = state.log.at(-1);
  return { effects: [...open], last: last?.type === "ask" ? [`ask:${last.ts}`] : [] };
}

const ALL_FIXTURES = [
  ...TEXT_FIXTURES.map((name) => [fixture(name)]),
  ["ui_messages.json", "api_conversation_history.json"].map((name) => fixture(`roo-task/${name}`)),
];

test.each(ALL_FIXTURES.map((files) => [files[0]?.name, files] as const))(
  "the waits of %s end, except one at its end",
  (_, files) => {
    for (const records of journals(...files)) {
      const { effects, last } = openWaits(records);
      expect(effects).toEqual(last);
    }
  },
);

test("a wait ends in a session with malformed records, wherever they are, and no ask is open before them (L8)", () => {
  const lines = fixture("claude-code.jsonl").content.trimEnd().split("\n");
  const bad = ['{"type":"user"}', '{"type":"assistant","message":null,"timestamp":"nope"}'];
  for (const place of lines.keys()) {
    const content = lines.toSpliced(place + 1, 0, ...bad).join("\n");
    for (const records of journals({ name: "s.jsonl", content })) {
      const { effects, last } = openWaits(records);
      expect(effects, `after line ${place}`).toEqual(last);
      expect(monitorCommits(records.filter((record) => record.kind === "commit"))).toEqual([]);
    }
  }
});

/** The state after a session with these events after its prompt. */
const stateAfter = (...events: readonly TranscriptEvent[]) => {
  const entries = [{ kind: "prompt", text: "Go" } as const, ...events].map((event, at) => ({ at, ...event }));
  const transcript = { format: { name: "x" }, taskId: "x", createdAt: 0, entries, problems: [] };
  return recordsOfTranscript(transcript).reduce(applyRecord, emptyRecordedState);
};
const request = { kind: "request", id: "r" } as const;
const call = (id: string) => ({ kind: "call", id, name: "Build", input: {} }) as const;
const result = (callId: string) => ({ kind: "result", callId, text: "No.", outcome: "failed" }) as const;

test.each(["b", "unknown"])("an ask is withdrawn, not answered, by the late result of the call %s", (id) => {
  const { log } = stateAfter(request, call("b"), { kind: "turn.ended", how: "interrupted" }, result(id));
  expect([...log].findLast(({ type }) => type === "ask")).toMatchObject({ closing: "withdrawn" });
});

test("a call that runs while another one's result is sent ends by its own result", () => {
  const { conversation } = stateAfter(
    request,
    call("a"),
    call("b"),
    result("b"),
    request,
    result("a"),
    request,
  );
  const sent = [...conversation]
    .flatMap(({ content }) => [...content])
    .filter(({ type }) => type === "tool_result");
  expect(sent).toMatchObject([{ tool_use_id: "b" }, { tool_use_id: "a" }]);
});

describe.each(TEXT_FIXTURES)("the journal of %s", (name) => {
  test("derives the state of each record from its messages (L1)", () => {
    const journals = journalsOf(name);
    expect(journals.length).toBeGreaterThan(0);
    for (const records of journals) {
      let state = emptyRecordedState;
      let before = "no_task";
      for (const record of records) {
        state = applyRecord(state, record);
        if (record.kind !== "commit") continue;
        expect(record.before).toBe(before);
        expect(record.after).toBe(detectAgentState(state.log).state);
        before = record.after;
      }
    }
  });

  test("obeys the laws of messages", () => {
    for (const records of journalsOf(name))
      expect(monitorCommits(records.filter((record) => record.kind === "commit"))).toEqual([]);
  });

  test("is a journal that its reader accepts unchanged", () => {
    for (const record of journalsOf(name).flat()) {
      const json: unknown = JSON.parse(JSON.stringify(record));
      expect(parseRecord(json)).toEqual({ success: true, data: json });
    }
  });

  property.prop([fc.double({ min: 0, max: 1, noNaN: true })])("keeps what comes before a cut", (part) => {
    const { content } = fixture(name);
    const bytes = new TextEncoder().encode(content);
    const cut = Math.floor(part * bytes.length);
    const whole = readTranscripts([{ name, content: bytes }]);
    const read = readTranscripts([{ name, content: bytes.slice(0, cut) }]);
    read.transcripts.map(recordsOfTranscript);
    // A file of lines is read up to the cut. Another format needs its end, and says so.
    if (!name.endsWith(".jsonl")) return;
    for (const { taskId, entries } of read.transcripts) {
      const others = whole.transcripts.find((each) => each.taskId === taskId)?.entries ?? [];
      const kept = entries.flatMap(textOf);
      expect(others.flatMap(textOf).slice(0, kept.length)).toEqual(kept);
    }
  });
});

/** The content of an entry that later lines do not change. */
function textOf(entry: TranscriptEntry): readonly unknown[] {
  const { kind } = entry;
  if (kind === "prompt" || kind === "text") return [entry.text];
  if (kind === "call") return [entry.id];
  return kind === "result" ? [entry.callId] : [];
}
