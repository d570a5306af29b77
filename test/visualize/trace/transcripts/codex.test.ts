import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { askMessage, callMessage } from "../../../../visualize/trace/transcripts/call-message.ts";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import type { Transcript } from "../../../../visualize/trace/transcripts/transcript.ts";
import { fixture, TRANSCRIPTS } from "./fixtures.ts";
import { problemsOf } from "./shown-problems.ts";
import { longestWait } from "./waits.ts";

const { transcripts, problems } = readTranscripts([fixture("codex.jsonl")]);
const [session] = transcripts;

const rollout = (...lines: readonly (readonly [type: string, payload: object])[]): Transcript | undefined => {
  const content = lines
    .map(([type, payload]) => JSON.stringify({ timestamp: "2026-11-03T14:00:00Z", type, payload }))
    .join("\n");
  return readTranscripts([{ name: "rollout-x.jsonl", content }]).transcripts[0];
};

describe("a rollout of Codex", () => {
  test("has its id, its folder, its version and its model, and no problem", () => {
    expect(problems).toEqual([]);
    expect(session).toMatchObject({
      format: { name: "Codex", version: "0.149.0" },
      taskId: "019a4c00-0000-7000-8000-00000000c0de",
      workspace: "/home/ann/shop",
    });
    expect(session?.entries).toContainEqual(
      expect.objectContaining({
        kind: "response",
        model: { provider: "openai", id: "gpt-5.2-codex" },
        usage: { tokensIn: 1_104, tokensOut: 210, cacheReads: 4_096, cacheWrites: 0, cost: null },
      }),
    );
  });

  test("is named by its first prompt, not by the record of its environment before it", () => {
    const [header] = session === undefined ? [] : recordsOfTranscript(session);
    expect(header).toMatchObject({ title: "Rename total to sum, run the tests, and publish the package." });
  });

  test("has its failed command, and the call that a person rejected", () => {
    expect(problemsOf(session)).toEqual([
      "npm test exited with code 1",
      "npm publish --access public: its ask was not answered by yes",
    ]);
  });

  test("waits longest for the person who rejected the call, and its tool runs after an approval only", () => {
    const records = session === undefined ? [] : recordsOfTranscript(session);
    expect(longestWait(records)).toEqual({ text: "npm publish --access public", ms: 360_100 });
    const started = records.flatMap((record) =>
      record.kind === "commit" && record.effects.some(({ id }) => id === "tool:call_2") ? [record.at] : [],
    );
    expect(started.map((at) => at - (session?.createdAt ?? 0))).toEqual([20_200, 35_300]);
  });

  test("sends instructions in the name of the user that are no prompt", () => {
    const prompts = session?.entries.flatMap((entry) => (entry.kind === "prompt" ? [entry.text] : []));
    expect(prompts).toEqual(["Rename total to sum, run the tests, and publish the package."]);
  });

  test("shows an event of an unknown kind as it is", () => {
    const raw = session?.entries.flatMap((entry) => (entry.kind === "raw" ? [entry.type] : []));
    expect(raw).toEqual(["message (user)", "hologram_event"]);
  });

  test("is interrupted, fails and is tried again where its events say so", () => {
    const read = rollout(
      ["session_meta", { id: "a", parent_thread_id: "p" }],
      ["response_item", { type: "message", role: "user", content: "Go" }],
      ["event_msg", { type: "stream_error", message: "stream closed, retrying" }],
      ["response_item", { type: "function_call", name: "shell", call_id: "c", arguments: "not JSON" }],
      ["event_msg", { type: "turn_aborted", reason: "interrupted" }],
    );
    expect(read?.parent).toEqual({ taskId: "p", callId: "" });
    expect(read?.entries.at(-1)).toMatchObject({ kind: "turn.ended", how: "interrupted" });
    expect(read?.entries).toContainEqual(
      expect.objectContaining({ kind: "call", input: { input: "not JSON" } }),
    );
    expect(problemsOf(read)).toEqual(["stream closed, retrying"]);
  });

  test("is the same where it is compressed by Zstandard, and a cut is named", () => {
    const content = new Uint8Array(readFileSync(path.join(TRANSCRIPTS, "codex.jsonl.zst")));
    expect(readTranscripts([{ name: "codex.jsonl", content }])).toEqual({ transcripts, problems: [] });
    const cut = readTranscripts([{ name: "codex.jsonl", content: content.slice(0, -200) }]);
    expect(cut.problems.length).toBeGreaterThan(0);
  });

  test.each([
    [["bash", "-lc", "npm test"], "npm test"],
    [["grep", "-n", "two words", "it's.txt"], "grep -n 'two words' 'it'\\''s.txt'"],
  ])("shows a command of words as a shell reads it: %j", (command, line) => {
    const input = { command };
    const call = { kind: "call", id: "c", name: "shell", input } as const;
    expect(JSON.parse(callMessage(call).text ?? "")).toEqual({ tool: "shell", command: line });
    expect(askMessage(call)).toMatchObject({ ask: "command", text: line });
  });

  test("has a denial by the approval policy as a denial by a rule", () => {
    const read = rollout(
      ["response_item", { type: "function_call", name: "shell", call_id: "c", arguments: "{}" }],
      [
        "response_item",
        { type: "function_call_output", call_id: "c", output: "rejected: approval policy is never" },
      ],
    );
    expect(read?.entries.at(-1)).toMatchObject({ outcome: "denied", by: { rule: "approval policy" } });
  });
});
