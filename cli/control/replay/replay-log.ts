import { stat } from "node:fs/promises";
import path from "node:path";
import type { JournalDriver } from "../../../ports/journal.ts";
import { type LeftOut, readTree, readTreeOf } from "../../../store/exchange/recorded-tree.ts";
import { fileJournal } from "../../../store/journal/file.ts";
import { readJournal } from "../../../store/journal/reader.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";
import { findTask } from "../../../store/task-history/lookup.ts";
import { isTaskId, JOURNAL } from "../../../store/task-history/task-folder.ts";
import type { RecordedTask } from "../../../wire/inspect/sample-events.ts";
import { CliError } from "../../error.ts";

/** A recorded task with its subtasks, and the parts of their journals that can't be read. */
export interface ReplayLog {
  readonly task: RecordedTask;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Read the log of a task: by its id or a prefix of it, or by the path of its journal or its folder. The journals of subtasks
 * are read if they are beside it.
 *
 * @throws TaskHistoryError, ExchangeError, JournalError; CliError for a file that is no journal
 */
export async function readReplayLog(given: string, dataDir: string): Promise<ReplayLog> {
  const leftOut: LeftOut[] = [];
  const onLeftOut = (part: LeftOut): void => {
    leftOut.push(part);
  };
  const file = await journalAt(given);
  if (file === undefined)
    return { task: await readTree(dataDir, await findTask(fileHistory(dataDir), given), onLeftOut), leftOut };
  const own = await idIn(file);
  const journalOf = (id: string): JournalDriver => {
    if (id === own) return journal(file);
    // The journal names its subtasks: no path of its own may lead elsewhere.
    if (!isTaskId(id))
      throw new CliError(`${file}: expected the id of a subtask, got ${JSON.stringify(id)}.`);
    const isInFolder = path.basename(file) === JOURNAL;
    return journal(isInFolder ? path.join(file, "../..", id, JOURNAL) : path.join(file, "..", `${id}.jsonl`));
  };
  return { task: await readTreeOf(own, journalOf, { where: file, onLeftOut }), leftOut };
}

const journal = (file: string): JournalDriver =>
  fileJournal({ dir: path.dirname(file), file: path.basename(file) });

/** The journal that a path names, if there is something at it. */
async function journalAt(given: string): Promise<string | undefined> {
  const found = await stat(given).catch(() => undefined);
  if (found === undefined) return undefined;
  return path.resolve(found.isDirectory() ? path.join(given, JOURNAL) : given);
}

/** The id of the task of a journal. @throws CliError for a file that is none */
async function idIn(file: string): Promise<string> {
  for await (const record of readJournal(journal(file), { onTail: () => undefined }))
    if (record.kind === "header") return record.taskId;
  throw new CliError(`${file}: expected a journal with records, found none. Give the journal of a task.`);
}
