import { printable } from "../../client/printable/printable.ts";
import { plural } from "../../present/plural.ts";
import { TracePageError } from "../../server/page/built-page.ts";
import { countedTracePage } from "../../server/page/trace-page.ts";
import type { RecordedTask } from "../../store/task-history/recorded-task.ts";
import type { OneFilePage } from "../../visualize/share/one-file-page.ts";
import { CliError } from "../error.ts";
import type { TaskReader } from "../task-store.ts";
import { eventsOfTask, type RecordedSubtasks, subtasksOf } from "./task-events.ts";

/**
 * The visual debugger with all records of a task and of its subtasks, as one HTML file that opens at record `at`, or at
 * the last.
 *
 * @throws CliError where there is no such record, or the page was not built
 */
export async function createTaskPage(
  task: RecordedTask,
  store: TaskReader,
  { at, masksSecrets }: { readonly at: number | undefined; readonly masksSecrets: boolean },
): Promise<OneFilePage> {
  const { id, title, lastSeq, tail } = task;
  if (at !== undefined && at > lastSeq)
    throw new CliError(`--at: task ${id} has no record ${at}. Expected one from 0 to ${lastSeq}.`);
  const own = await eventsOfTask(task, store, at === undefined);
  const subtasks = await subtasksOf(id, own, store);
  const notice = noticeOf(tail, subtasks);
  try {
    return await countedTracePage([...own, ...subtasks.events], {
      title: title === "" ? id : printable(title),
      masksSecrets,
      ...(at !== undefined && { at }),
      ...(notice !== "" && { notice }),
    });
  } catch (error) {
    if (error instanceof TracePageError) throw new CliError(error.message, { cause: error });
    throw error;
  }
}

/** The parts of the task that the page does not have. */
function noticeOf(tail: RecordedTask["tail"], { failures, omitted }: RecordedSubtasks): string {
  const lines = failures.map((failure) => `Subtask ${failure}`);
  if (tail !== undefined)
    lines.unshift(`The journal could not be read from line ${tail.line} on: ${tail.reason}`);
  if (omitted !== undefined)
    lines.push(
      `${plural(omitted.count, "subtask")} not included: the limit of ${omitted.max} ${omitted.limit} of subtasks is reached.`,
    );
  return lines.map((line) => printable(line)).join("\n");
}
