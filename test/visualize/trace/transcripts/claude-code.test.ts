import { describe, expect, test } from "vitest";
import { monitorCommits } from "../../../../verify/monitor/commits.ts";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import type { Transcript } from "../../../../visualize/trace/transcripts/transcript.ts";
import { fixture } from "./fixtures.ts";
import { problemsOf } from "./shown-problems.ts";
import { longestWait } from "./waits.ts";

const { transcripts, problems } = readTranscripts([fixture("claude-code.jsonl")]);
const [main, subagent] = transcripts;

/** A session of one line after another, each with what all lines have. */
const session = (...lines: readonly object[]): Transcript | undefined => {
  const common = { sessionId: "s", timestamp: "2026-11-02T09:00:00Z", uuid: "u", parentUuid: null };
  const content = lines.map((line) => JSON.stringify({ ...common, ...line })).join("\n");
  return readTranscripts([{ name: "s.jsonl", content }]).transcripts[0];
};

describe("a session of Claude Code", () => {
  test("has its title, its folder and its version, and no problem", () => {
    expect(problems).toEqual([]);
    expect(main).toMatchObject({
      format: { name: "Claude Code", version: "2.1.230" },
      title: "Totals of the cart",
      workspace: "/home/ann/shop",
      createdAt: Date.parse("2026-11-02T09:00:00Z"),
    });
  });

  test("has its failed command, and its denied calls with who denied them", () => {
    expect(problemsOf(main)).toEqual([
      "Bash npm test -- cart exited with code 1",
      expect.stringContaining("git push --force origin main: "),
      expect.stringMatching(/^Bash rm -rf .*permission settings/),
    ]);
  });

  test("waits longest for the person who denied the push", () => {
    expect(main && longestWait(recordsOfTranscript(main))).toEqual({
      text: "git push --force origin main",
      ms: 240_000,
    });
  });

  test("has its subagent as a subtask of the call that started it", () => {
    expect(subagent).toMatchObject({ parent: { taskId: main?.taskId, callId: "toolu_3" } });
    expect(subagent?.entries.flatMap((entry) => (entry.kind === "text" ? [entry.text] : []))).toEqual([
      "Only checkout.ts calls it.",
    ]);
    expect(main?.entries).toContainEqual(
      expect.objectContaining({ id: "toolu_3", childId: subagent?.taskId }),
    );
  });

  test("shows a record of an unknown kind as it is", () => {
    const raw = main?.entries.filter(({ kind }) => kind === "raw");
    expect(raw).toEqual([
      expect.objectContaining({ type: "hologram", json: expect.stringContaining('"<b>":"unknown"') }),
    ]);
  });

  test("keeps a record without content as it is, and the text of a response that is no list of blocks", () => {
    const read = session(
      { type: "user", message: { content: "Go" } },
      { type: "user" },
      { type: "assistant", message: null },
      { type: "assistant", message: { id: "m", content: "Done." } },
    );
    expect(read?.entries).toMatchObject([
      { kind: "prompt", text: "Go" },
      { kind: "raw", type: "user" },
      { kind: "raw", type: "assistant" },
      { kind: "request" },
      { kind: "text", text: "Done." },
      { kind: "response" },
      { kind: "turn.ended" },
    ]);
  });

  test("is read up to a damaged line and after it, and the line is named", () => {
    const content = fixture("claude-code.jsonl").content.replace('{"parentUuid": "a7"', '{"parentUuid": a7');
    const damaged = readTranscripts([{ name: "s.jsonl", content }]);
    expect(damaged.problems).toEqual([
      {
        where: "s.jsonl, line 21",
        what: "expected JSON; the line is damaged or incomplete and was not read",
      },
    ]);
    expect(damaged.transcripts[0]?.entries.length).toBe(main?.entries.length);
  });

  test("waits for the answer to a question of the model, which is a message of the person", () => {
    const input = { questions: [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }] };
    const asked = session(
      { type: "user", message: { content: "Choose" } },
      {
        type: "assistant",
        message: { id: "m", content: [{ type: "tool_use", id: "q", name: "AskUserQuestion", input }] },
      },
      {
        type: "user",
        timestamp: "2026-11-02T09:10:00Z",
        message: { content: [{ type: "tool_result", tool_use_id: "q", content: "B" }] },
      },
    );
    const records = asked === undefined ? [] : recordsOfTranscript(asked);
    expect(longestWait(records)).toEqual({
      text: expect.stringContaining('"question":"Which?"'),
      ms: 600_000,
    });
    expect(JSON.stringify(records.at(-1))).toMatch(/"text":"B","callId":"q","say":"user_feedback"/);
  });

  test("closes the request of a response that asks while it streams (L4)", () => {
    const use = { type: "tool_use", id: "q", name: "ExitPlanMode", input: { plan: "1. Fix it" } };
    const asked = session(
      { type: "user", message: { content: "Plan it" } },
      { type: "assistant", message: { id: "m", content: [use] } },
      {
        type: "user",
        message: { content: [{ type: "tool_result", tool_use_id: "q", content: "Approved." }] },
      },
      {
        type: "assistant",
        message: { id: "m", content: [{ type: "text", text: "I begin." }], usage: { output_tokens: 9 } },
      },
    );
    const records = asked === undefined ? [] : recordsOfTranscript(asked);
    const commits = records.filter((record) => record.kind === "commit");
    expect(commits.map(({ after }) => after)).toContain("waiting_for_input");
    expect(monitorCommits(commits)).toEqual([]);
    expect(JSON.stringify(commits)).toContain('\\"tokensOut\\":9');
  });

  test("shows the error of a request that failed, and that it was tried again", () => {
    const retried = session(
      { type: "user", message: { content: "Go" } },
      { type: "system", subtype: "api_error", error: { message: "529 overloaded" } },
      {
        type: "assistant",
        uuid: "x",
        isApiErrorMessage: true,
        message: { id: "e", content: "API Error: 500" },
      },
    );
    expect(problemsOf(retried)).toEqual(["API Error: 500 (2 attempts)"]);
    expect(retried?.entries.at(-1)).toMatchObject({
      kind: "turn.ended",
      how: "failed",
      text: "API Error: 500",
    });
  });

  test("has a summary in place of what was sent before a compaction", () => {
    const compacted = session(
      { type: "user", message: { content: "Go" } },
      {
        type: "system",
        subtype: "compact_boundary",
        compactMetadata: { trigger: "auto", preTokens: 150_000 },
      },
      { type: "user", isCompactSummary: true, message: { content: "We fixed it." } },
    );
    expect(compacted?.entries.at(-1)).toMatchObject({
      kind: "compaction",
      summary: "We fixed it.",
      tokensBefore: 150_000,
    });
  });
});
