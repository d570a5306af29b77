import type { SubtaskOutcome } from "../../machines/tool-call/index.ts";
import type { CommitRecord } from "../../wire/index.ts";
import { type JournalDriver, readJournal } from "../journal/index.ts";

/** Whose subtask a journal must be. */
export interface Kinship {
  readonly parentId: string;
  readonly callId: string;
}

/**
 * How a subtask ended, as its own journal tells: its first end, which is the one that its parent takes (L16). One
 * that goes on, was never begun, or belongs to another call has none.
 *
 * @throws JournalError as `readJournal` does
 */
export async function subtaskEnd(
  driver: Pick<JournalDriver, "path" | "read">,
  { parentId, callId }: Kinship,
): Promise<SubtaskOutcome | undefined> {
  for await (const record of readJournal(driver, { onTail: () => undefined })) {
    if (record.kind === "header") {
      const { parent } = record;
      if (parent?.taskId !== parentId || parent.callId !== callId) return undefined;
    } else if (record.kind === "commit") {
      const end = endIn(record);
      if (end !== undefined) return end;
    }
  }
  return undefined;
}

/** A subtask has ended when it is completed, or rests because somebody or something stopped it. */
export function endIn({ cause, after, reports }: EndFacts): SubtaskOutcome | undefined {
  const completed = reports.find(({ type }) => type === "task.completed");
  if (completed?.type === "task.completed") return { kind: "finished", result: completed.result };
  if (after !== "resumable" || !reports.some(({ type }) => type === "task.rested")) return undefined;
  // Opened again after a crash: it rests and may go on.
  if (cause?.type === "task.recovered") return undefined;
  return cause?.type === "journal.failed"
    ? { kind: "failed", message: "its journal could not be written" }
    : { kind: "cancelled" };
}

type EndFacts = Pick<CommitRecord, "after" | "reports"> & {
  readonly cause?: { readonly type: string } | undefined;
};
