import { expect, test } from "vitest";
import { replayBytes } from "../../../store/recovery/replay.ts";
import { commit } from "../task-history/data-folder.ts";
import { journalOf } from "../task-history/history-suite.ts";

const WORKING = "running.delegated";
const RECOVERED = { cause: { type: "task.recovered", at: 1 } };

type Step = Readonly<Record<string, unknown>>;
const work: Step = { before: "no_task", after: WORKING };
const rest = (after: string): Step => ({ before: WORKING, after });
const failed: Step = { ...rest("resumable"), cause: { type: "journal.failed", at: 1 } };
const closed = (before: string): Step => ({
  before,
  after: "resumable",
  cause: { type: "task.cancel", origin: "close", at: 1 },
});
const recovery = (before: string): Step => ({ before, after: "resumable", ...RECOVERED });
const taken = (refused?: string): Step => ({
  before: "resumable",
  after: "resumable",
  inbox: { position: 1, ...(refused !== undefined && { refused }) },
});

test.each<[string, readonly Step[], boolean]>([
  ["worked when its process ended", [work], true],
  ["worked then, and was opened since", [work, recovery(WORKING)], true],
  ["worked then, and has refused a command since", [work, recovery(WORKING), taken("ASK_CLOSED")], true],
  ["worked then, and has taken a command since", [work, recovery(WORKING), taken()], false],
  ["rests since its journal failed", [work, failed], true],
  ["rests since its journal failed, and was opened since", [work, failed, recovery("resumable")], true],
  ["rests since its journal failed, and has taken a command since", [work, failed, taken()], false],
  ["was closed while it worked", [work, closed(WORKING)], true],
  ["rests since its journal failed, and was closed", [work, failed, closed("resumable")], true],
  ["had completed when it was closed", [work, rest("idle.completed"), closed("idle.completed")], false],
  ["was at rest after a failed request", [work, rest("idle.failed"), recovery("idle.failed")], false],
  ["was cancelled", [work, { ...rest("resumable"), cause: { type: "task.cancel", at: 1 } }], false],
  ["had completed", [work, rest("idle.completed")], false],
])("the replay tells whether a task was interrupted: one that %s", (_, steps, isInterrupted) => {
  const bytes = journalOf(
    "a",
    steps.map((step, index) => commit(index + 1, step)),
  );
  expect(replayBytes("a", bytes)?.isInterrupted).toBe(isInterrupted);
});
