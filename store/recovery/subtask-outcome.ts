import { type FoundSubtask, subtaskOutcome } from "../../machines/task/subtask-outcome.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { readJournal } from "../journal/reader.ts";
import { replayJournal } from "./replay.ts";

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

/**
 * Read what is known of the subtask of a call, from its journal and the mark of its deletion (L16).
 *
 * @throws JournalError as `readJournal` does
 */
export async function findSubtask(
  childId: string,
  owner: { readonly parentId: string; readonly callId: string },
  journal: (taskId: string) => Pick<JournalDriver, "path" | "read" | "hasDeleted">,
): Promise<FoundSubtask> {
  const driver = journal(childId);
  const header = (await replayJournal(driver, { until: 0 }))?.header;
  if (header === undefined) {
    // The mark is older than the end of the journal: it is looked for after the journal is.
    const isDeleted = (await journal(owner.parentId).hasDeleted?.(childId)) ?? false;
    return { journal: "none", isDeleted, outcome: undefined };
  }
  const { parent } = header;
  if (parent?.taskId !== owner.parentId || parent.callId !== owner.callId)
    return { journal: "foreign", isDeleted: false, outcome: undefined };
  return { journal: "own", isDeleted: false, outcome: await readSubtaskOutcome(driver, owner) };
}
