import { readFileSync } from "node:fs";
import path from "node:path";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { zipped } from "../../../../cli/inspect-log.ts";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import type { Transcript } from "../../../../visualize/trace/transcripts/transcript.ts";
import { toInspect } from "../../../../wire/inspect/to-inspect.ts";
import { fixture, TRANSCRIPTS } from "./fixtures.ts";
import { problemsOf } from "./shown-problems.ts";
import { longestWait } from "./waits.ts";

const { transcripts, problems } = readTranscripts([fixture("inspect.json")]);
const [reports, broken] = transcripts;
const bytes = new Uint8Array(readFileSync(path.join(TRANSCRIPTS, "inspect.eval")));

describe("a log of Inspect", () => {
  test("has a session for each sample, and no problem", () => {
    expect(problems).toEqual([]);
    expect(transcripts.map(({ taskId, title }) => [taskId, title])).toEqual([
      ["ev1.reports.1", "reports, sample reports.1"],
      ["ev1.broken.1", "reports, sample broken.1"],
    ]);
    expect(reports?.format).toEqual({ name: "Inspect", version: "0.3.150" });
  });

  test("has the rejection of the person and of the approver, and the longest wait", () => {
    expect(problemsOf(reports)).toEqual([
      "rm -r reports: its ask was not answered by yes",
      expect.stringMatching(/^bash curl .*denied by the rule no-network$/),
    ]);
    expect(reports && longestWait(recordsOfTranscript(reports))).toEqual({
      text: "rm -r reports",
      ms: 120_000,
    });
  });

  test("has each message of the user once, and attachments in their places", () => {
    expect(reports?.entries.flatMap((entry) => (entry.kind === "prompt" ? [entry.text] : []))).toHaveLength(
      1,
    );
    expect(reports?.entries).toContainEqual(
      expect.objectContaining({ id: "c1", input: { cmd: "rm -r reports" } }),
    );
  });

  test("has the messages of a sample without events, and its error", () => {
    expect(broken?.entries.map(({ kind }) => kind)).toEqual(["prompt", "text", "turn.ended"]);
    expect(broken?.entries.at(-1)).toMatchObject({ how: "failed", text: "The sandbox ended." });
  });

  test("is the same as .eval, with members that are stored, deflated and compressed by Zstandard", () => {
    expect(readTranscripts([{ name: "inspect.eval", content: bytes }])).toEqual({
      transcripts,
      problems: [],
    });
  });

  property.prop([fc.nat(bytes.length)])("keeps the whole members of an .eval file before a cut", (cut) => {
    const read = readTranscripts([{ name: "cut.eval", content: bytes.slice(0, cut) }]);
    expect(read.problems.length).toBeGreaterThan(cut === bytes.length ? -1 : 0);
    const [first] = read.transcripts;
    if (first !== undefined) expect(first.entries).toEqual(reports?.entries);
  });

  property.prop([fc.nat(bytes.length - 1), fc.nat(255)])("does not throw for a changed byte", (at, byte) => {
    const changed = bytes.slice();
    changed[at] = byte;
    expect(() => readTranscripts([{ name: "x.eval", content: changed }])).not.toThrow();
  });

  test("is read from what this package exports: the calls of the task and their results", () => {
    const [session] = readTranscripts([fixture("codex.jsonl")]).transcripts;
    const [header, ...records] = session === undefined ? [] : recordsOfTranscript(session);
    if (header?.kind !== "header") throw new Error("A journal begins with its header.");
    const log = toInspect({ header, records, subtask: () => undefined }, () => "0".repeat(32));
    const read = readTranscripts([{ name: "ours.eval", content: zipped(log) }]);
    const ends = (entries: Transcript["entries"] = []) =>
      entries.flatMap((entry) => (entry.kind === "result" ? [[entry.callId, entry.outcome]] : []));
    expect(read.problems).toEqual([]);
    expect(ends(read.transcripts[0]?.entries)).toEqual(ends(session?.entries));
  });
});
