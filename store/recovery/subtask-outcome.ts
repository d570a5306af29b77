import type { SubtaskOutcome } from "../../machines/tool-call/index.ts";
import type { CommitRecord } from "../../wire/index.ts";
import { type JournalDriver, readJournal } from "../journal/index.ts";

/**
 * Read the first outcome of a subtask from its journal: the one that its parent uses (L16). Undefined for a subtask that
 * is not finished, was never started, or belongs to another call.
 *
 * @throws JournalError as `readJournal` does
 */
export async function readSubtaskOutcome(
  driver: Pick<JournalDriver, "path" | "read">,
  { parentId, callId }: { readonly parentId: string; readonly callId: string },
): Promise<SubtaskOutcome | undefined> {
  for await (const record of readJournal(driver, { onTail: () => undefined })) {
    if (record.kind === "header") {
      const { parent } = record;
      if (parent?.taskId !== parentId || parent.callId !== callId) return undefined;
    } else if (record.kind === "commit") {
      const outcome = subtaskOutcome(record);
      if (outcome !== undefined) return outcome;
    }
  }
  return undefined;
}

/** The outcome that a commit gives a subtask: completed, or stopped and at rest. */
export function subtaskOutcome({ cause, after, reports }: OutcomeFacts): SubtaskOutcome | undefined {
  const completed = reports.find(({ type }) => type === "task.completed");
  if (completed?.type === "task.completed") {
    const { result, rest } = completed;
    return { kind: "finished", result, ...(rest !== undefined && { rest }) };
  }
  if (after !== "resumable" || !reports.some(({ type }) => type === "task.rested")) return undefined;
  // Opened again after a crash: it is at rest and can resume.
  if (cause?.type === "task.recovered") return undefined;
  return cause?.type === "journal.failed"
    ? { kind: "failed", message: "its journal could not be written" }
    : { kind: "cancelled" };
}

type OutcomeFacts = Pick<CommitRecord, "after" | "reports"> & {
  readonly cause?: { readonly type: string } | undefined;
};
