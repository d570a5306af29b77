import { printable } from "../../client/printable/printable.ts";
import { TracePageError } from "../../server/page/built-page.ts";
import { tracePage } from "../../server/page/trace-page.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { readJournal } from "../../store/journal/reader.ts";
import type { RecordedTask } from "../../store/task-history/recorded-task.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { traceOfJournal } from "../../visualize/trace/recording/trace-of-journal.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { CliError } from "../error.ts";

/**
 * The visual debugger with all records of a task, as one HTML file that opens at record `at`, or at the last.
 * @throws CliError where there is no such record, or the page was not built
 */
export async function createTaskPage(
  { id, title, lastSeq, settlement, tail }: RecordedTask,
  dataDir: string,
  at: number | undefined,
): Promise<string> {
  if (at !== undefined && at > lastSeq)
    throw new CliError(`--at: task ${id} has no record ${at}. Expected one from 0 to ${lastSeq}.`);
  const records: JournalRecord[] = [];
  const driver = fileJournal({ dir: taskFolder(dataDir, id) });
  for await (const record of readJournal(driver, { onTail: () => {} })) records.push(record);
  if (settlement !== undefined && at === undefined) records.push(settlement);
  try {
    return await tracePage(traceOfJournal(records), {
      title: title === "" ? id : printable(title),
      ...(at !== undefined && { at }),
      ...(tail !== undefined && {
        notice: `The journal could not be read from line ${tail.line} on: ${printable(tail.reason)}`,
      }),
    });
  } catch (error) {
    if (error instanceof TracePageError) throw new CliError(error.message, { cause: error });
    throw error;
  }
}
