import { expect, test } from "vitest";
import { endedCalls, readSubtaskNames } from "../../../cli/show/subtask-names.ts";
import { memoryJournal } from "../../../store/index.ts";
import type { JournalDraft } from "../../../wire/journal/record.ts";
import { commit, header, lines } from "../../testing/conformance.ts";

/** A commit in which these calls have each started a subtask. */
const starting = (seq: number, ...calls: readonly string[]): JournalDraft => ({
  ...{ seq, kind: "commit", at: seq, before: "running", after: "running.delegated" },
  calls: calls.map((callId) => ({
    ...{ callId, toolUseId: callId, row: 1, name: "new_task", ask: "tool", phase: "delegated" },
    childId: `t1.${callId}`,
    input: { mode: "code", message: "Count.", name: `Part ${callId}` },
  })),
});

/** A journal that counts the parts that are read of it. */
async function counted(...drafts: readonly JournalDraft[]) {
  const journal = memoryJournal();
  await journal.append(lines(header, ...drafts));
  const counts = { read: 0 };
  async function* read() {
    for await (const chunk of journal.read())
      for (const line of String(Buffer.from(chunk)).split(/(?<=\n)/)) {
        counts.read += 1;
        yield Buffer.from(line);
      }
  }
  return { journal: { path: journal.path, read }, counts };
}

test("the names of subtasks have their numbers, also in a subtask", async () => {
  const { journal } = await counted(starting(1, "1", "2"));
  expect([...(await readSubtaskNames(journal, ["1", "2"]))]).toEqual([
    ["1", "Subtask 1 (Part 1)"],
    ["2", "Subtask 2 (Part 2)"],
  ]);
  expect([...(await readSubtaskNames(journal, ["2"], "3"))]).toEqual([["2", "Subtask 3.2 (Part 2)"]]);
});

test("a journal is read up to the last start that is looked for, and not at all if no subtask has ended", async () => {
  const { journal, counts } = await counted(starting(1, "1"), commit(2), commit(3), commit(4));
  await readSubtaskNames(journal, endedCalls([{ ts: 1, type: "say", say: "text", callId: "1" }]));
  expect(counts.read).toBe(0);
  const ended = endedCalls([{ ts: 2, type: "say", say: "subtask_result", callId: "1" }]);
  expect((await readSubtaskNames(journal, ended)).size).toBe(1);
  expect(counts.read).toBeLessThan(5);
});
