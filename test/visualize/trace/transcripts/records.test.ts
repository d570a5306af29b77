import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { detectAgentState } from "../../../../machines/message/detect.ts";
import { emptyRecordedState } from "../../../../machines/task/commit.ts";
import { monitorCommits } from "../../../../verify/monitor/commits.ts";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import type { TranscriptEntry } from "../../../../visualize/trace/transcripts/transcript.ts";
import { applyRecord } from "../../../../wire/journal/apply-record.ts";
import { parseRecord } from "../../../../wire/journal/parse-record.ts";
import type { JournalRecord } from "../../../../wire/journal/record.ts";
import { fixture, TEXT_FIXTURES } from "./fixtures.ts";

const journalsOf = (name: string): readonly (readonly JournalRecord[])[] =>
  readTranscripts([fixture(name)]).transcripts.map(recordsOfTranscript);

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
