import { emptyRecordedState } from "../../machines/task/commit.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { readJournal } from "../../store/journal/reader.ts";
import { applyRecord } from "../../wire/journal/apply-record.ts";
import type { CommitRecord, JournalHeader } from "../../wire/journal/record.ts";
import { errorMessage } from "../error.ts";
import type { TaskMoment } from "./work-state.ts";

/** A subtask as its journal has it. */
export interface RecordedSubtask extends TaskMoment {
  readonly id: string;
  readonly parent: NonNullable<JournalHeader["parent"]>;
  readonly title: string | undefined;
  readonly workspace: string | undefined;
  /** By their ids: each as the journal has it last. */
  readonly calls: ReadonlyMap<string, RecordedCall>;
  readonly subtasks: readonly RecordedSubtask[];
}

/** The source of the journals of subtasks. */
export interface RecordedSubtaskSource {
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  /** Report a subtask that is left out. */
  readonly report: (message: string) => void;
}

/**
 * Read the subtasks of a task at any depth, in the order in which they started. Takes no lock. One that never started, was
 * deleted, or can't be read is left out.
 *
 * @param children the number of subtasks that the task has started
 */
export async function readSubtasks(
  taskId: string,
  children: number,
  source: RecordedSubtaskSource,
): Promise<readonly RecordedSubtask[]> {
  const subtasks: RecordedSubtask[] = [];
  for (let ordinal = 1; ordinal <= children; ordinal++) {
    const id = `${taskId}.${ordinal}`;
    try {
      const subtask = await readSubtask(id, source);
      if (subtask !== undefined) subtasks.push(subtask);
    } catch (error) {
      // The session is loaded without it.
      source.report(`the history of subtask ${id} can't be read: ${errorMessage(error)}`);
    }
  }
  return subtasks;
}

/** @throws JournalError as `readJournal` does */
async function readSubtask(id: string, source: RecordedSubtaskSource): Promise<RecordedSubtask | undefined> {
  const calls = new Map<string, RecordedCall>();
  let header: JournalHeader | undefined;
  let recorded: RecordedState = emptyRecordedState;
  let last: CommitRecord | undefined;
  for await (const record of readJournal(source.journal(id), { onTail: () => undefined })) {
    recorded = applyRecord(recorded, record);
    if (record.kind === "header") header = record;
    if (record.kind !== "commit") continue;
    last = record;
    for (const call of record.calls) calls.set(call.callId, call);
  }
  if (header?.parent === undefined || last === undefined) return undefined;
  return {
    id,
    parent: header.parent,
    title: header.title,
    workspace: header.workspace,
    path: last.after,
    log: recorded.log,
    cause: last.cause,
    calls,
    subtasks: await readSubtasks(id, recorded.facts.children ?? 0, source),
  };
}
