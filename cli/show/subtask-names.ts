import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { formatSubtaskName } from "../../present/subtask-name.ts";
import { readJournal } from "../../store/journal/reader.ts";
import { subtaskOf } from "../../tools/builtin/new-task.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";

/** The names of the subtasks of one task, by the ids of the calls that started them. */
export type SubtaskNames = ReadonlyMap<string, string>;

type Started = Pick<BackgroundSubtask, "callId" | "childId" | "input">;

/**
 * Read the names of the subtasks that a task has started from its journal. Takes no lock.
 *
 * @param number the number of the task itself in its tree; empty for a root
 * @throws JournalError as `readJournal` does
 */
export async function readSubtaskNames(
  journal: Pick<JournalDriver, "path" | "read">,
  number = "",
): Promise<SubtaskNames> {
  const names = new Map<string, string>();
  for await (const record of readJournal(journal, { onTail: () => undefined }))
    for (const { callId, childId, input } of startedIn(record)) {
      // The parent of a subtask in a fork has another id.
      const ordinal = childId.slice(childId.lastIndexOf(".") + 1);
      const own = number === "" ? ordinal : `${number}.${ordinal}`;
      names.set(callId, formatSubtaskName(own, subtaskOf(input)?.name));
    }
  return names;
}

/** The subtasks that a record names. The call of one in the background may be settled in the record of its start. */
function startedIn(record: JournalRecord): readonly Started[] {
  if (record.kind !== "commit") return [];
  const delegated = record.calls.flatMap((call) => (call.phase === "delegated" ? [call] : []));
  return [...delegated, ...(record.facts?.backgroundSubtasks ?? [])];
}
