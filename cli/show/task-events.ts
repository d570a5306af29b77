import { readJournal } from "../../store/journal/reader.ts";
import type { RecordedTask } from "../../store/task-history/recorded-task.ts";
import { traceOfJournal } from "../../visualize/trace/recording/trace-of-journal.ts";
import { type OmittedSubtasks, SubtaskQueue } from "../../visualize/trace/subtask-queue.ts";
import type { TraceEvent } from "../../visualize/trace/trace-event.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import type { TaskStore } from "../task-store.ts";

/** The tasks that are read. */
type Tasks = Pick<TaskStore, "journal" | "history">;

/** The trace of a recorded task. `isSettled`: with the record that would settle it, if it is not at rest. */
export async function eventsOfTask(
  { id, settlement }: Pick<RecordedTask, "id" | "settlement">,
  { journal }: Pick<Tasks, "journal">,
  isSettled = true,
): Promise<readonly TraceEvent[]> {
  const records: JournalRecord[] = [];
  for await (const record of readJournal(journal(id), { onTail: () => {} })) records.push(record);
  if (settlement !== undefined && isSettled) records.push(settlement);
  return traceOfJournal(records);
}

/** The traces of a task's subtasks, of any depth. */
export interface RecordedSubtasks {
  readonly events: readonly TraceEvent[];
  /** The subtasks that can't be read, or not whole, with the reason. */
  readonly failures: readonly string[];
  readonly omitted: OmittedSubtasks | undefined;
}

/** Read the subtasks of a task from their journals, as far as they can be read. */
export async function subtasksOf(
  taskId: string,
  own: readonly TraceEvent[],
  tasks: Tasks,
): Promise<RecordedSubtasks> {
  const queue = new SubtaskQueue(taskId);
  for (const { record } of own) queue.note(record);
  const events: TraceEvent[] = [];
  const failures: string[] = [];
  for (let id = queue.next(); id !== undefined; id = queue.next()) {
    try {
      const task = await tasks.history.read(id);
      if (task.tail !== undefined)
        failures.push(`${id}: from line ${task.tail.line} on: ${task.tail.reason}`);
      for (const event of await eventsOfTask(task, tasks)) {
        queue.notePast(event.record);
        events.push(event);
      }
    } catch (error) {
      failures.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { events, failures, omitted: queue.omitted };
}
