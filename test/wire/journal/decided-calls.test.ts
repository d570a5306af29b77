import { expect, test } from "vitest";
import { emptyParts } from "../../../machines/task/commit.ts";
import type { RecordedCall } from "../../../machines/tool-call/call.ts";
import { DecidedCalls } from "../../../wire/journal/decided-calls.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";

const commit = (seq: number, more: Partial<CommitRecord>): CommitRecord => ({
  ...emptyParts,
  ...{ seq, kind: "commit", at: seq, before: "running", after: "running" },
  ...more,
});

const call = (callId: string): RecordedCall => ({
  callId,
  toolUseId: "toolu_1",
  name: "execute_command",
  ask: "command",
  phase: "asking",
});

const decided = (callId: string) => [{ callId, digest: "d", by: { person: true }, at: 1 }] as const;

const callOf = (input: Readonly<Record<string, unknown>>): CommitRecord["conversation"] => [
  {
    type: "entry.appended",
    entry: {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "execute_command", input }],
    },
  },
];

test("a call has the arguments of its own turn, also where a later turn uses the model's id again", () => {
  const calls = new DecidedCalls();
  calls.read(commit(1, { calls: [call("a")], decisions: decided("a") }));
  calls.read(commit(2, { turnEnded: true, conversation: callOf({ command: "second" }) }));
  calls.read(commit(3, { calls: [call("b")], decisions: decided("b") }));
  calls.read(commit(4, { turnEnded: true }));
  expect(calls.found().map(({ callId, input }) => [callId, input])).toEqual([
    ["a", undefined],
    ["b", { command: "second" }],
  ]);
});

test("the rule of an accepted completion that is too long for its record is not named", () => {
  const calls = new DecidedCalls();
  const message = { ts: 7, type: "ask", ask: "completion_result", callId: "a", text: "Done." } as const;
  calls.read(
    commit(1, {
      calls: [call("a")],
      log: [{ type: "message.appended", message }],
    }),
  );
  calls.read(commit(2, { cause: { type: "ask.expired", at: 2, askId: 7 } }));
  expect(calls.found()[0]?.first).toEqual({
    kind: "allow",
    rule: "a rule whose name is too long for its record",
  });
});
