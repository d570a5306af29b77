import type { ClineMessage } from "../../machines/message/message.ts";
import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { formatSubtaskName } from "../../present/subtask-name.ts";
import { readJournal } from "../../store/journal/reader.ts";
import { subtaskOf } from "../../tools/builtin/new-task.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";

/** The names of the subtasks of one task, by the ids of the calls that started them. */
export type SubtaskNames = ReadonlyMap<string, string>;

type Started = Pick<BackgroundSubtask, "callId" | "childId" | "input">;

/** The calls whose subtasks have their ends among the messages of a task. */
export const endedCalls = (messages: readonly ClineMessage[]): readonly string[] =>
  messages.flatMap(({ say, callId }) => (say === "subtask_result" && callId !== undefined ? [callId] : []));

/**
 * Read the names of the subtasks that these calls of a task started from its journal, up to the last of them. Takes no lock.
 *
 * @param number the number of the task itself in its tree; empty for a root
 * @throws JournalError as `readJournal` does
 */
export async function readSubtaskNames(
  journal: Pick<JournalDriver, "path" | "read">,
  calls: Iterable<string>,
  number = "",
): Promise<SubtaskNames> {
  const names = new Map<string, string>();
  const missing = new Set(calls);
  if (missing.size === 0) return names;
  for await (const record of readJournal(journal, { onTail: () => undefined })) {
    for (const { callId, childId, input } of startedIn(record)) {
      if (!missing.delete(callId)) continue;
      // The parent of a subtask in a fork has another id.
      const ordinal = childId.slice(childId.lastIndexOf(".") + 1);
      const own = number === "" ? ordinal : `${number}.${ordinal}`;
      names.set(callId, formatSubtaskName(own, subtaskOf(input)?.name));
    }
    if (missing.size === 0) break;
  }
  return names;
}

/** The subtasks that a record names. The call of one in the background may be settled in the record of its start. */
function startedIn(record: JournalRecord): readonly Started[] {
  if (record.kind !== "commit") return [];
  const delegated = record.calls.flatMap((call) => (call.phase === "delegated" ? [call] : []));
  return [...delegated, ...(record.facts?.backgroundSubtasks ?? [])];
}
