import type { JournalDriver } from "../../ports/journal.ts";
import type { RecordedTask } from "../../wire/inspect/sample-events.ts";
import type { HeaderRecord, JournalRecord } from "../../wire/journal/record.ts";
import { ExchangeError } from "../../wire/roo/error.ts";
import { fileJournal } from "../journal/file.ts";
import { type JournalTail, readJournal } from "../journal/reader.ts";
import { taskFolder } from "../task-history/task-folder.ts";

/** A journal, or the end of one, that an export leaves out. */
export interface LeftOut {
  readonly taskId: string;
  /** The unusable end of the journal. Absent: the journal has no records. */
  readonly tail?: JournalTail;
}

/**
 * Read the records of a task and its subtasks. An unusable end of a journal is left out, as is a subtask without records.
 *
 * @param onLeftOut called for each of them
 * @throws ExchangeError `EXCHANGE_EMPTY` if the journal has no records; JournalError if it cannot be read
 */
export const readTree = (
  dataDir: string,
  id: string,
  onLeftOut: (part: LeftOut) => void,
): Promise<RecordedTask> =>
  readTreeOf(id, (task) => fileJournal({ dir: taskFolder(dataDir, task) }), {
    where: taskFolder(dataDir, id),
    onLeftOut,
  });

export interface TreeOptions {
  /** The place of the journal, for an error. */
  readonly where: string;
  readonly onLeftOut: (part: LeftOut) => void;
}

/** A journal that is only read. */
type ReadJournal = Pick<JournalDriver, "path" | "read" | "close">;

/** Read the records of a task and its subtasks from journals anywhere, as {@link readTree}. */
export async function readTreeOf(
  id: string,
  journalOf: (id: string) => ReadJournal,
  { where, onLeftOut }: TreeOptions,
): Promise<RecordedTask> {
  const records = await recordsIn(journalOf(id), (tail) => onLeftOut({ taskId: id, tail }));
  const [header] = records;
  if (header?.kind !== "header")
    throw new ExchangeError(
      "EXCHANGE_EMPTY",
      `${where}: expected a journal with records, found none. Check the task's id.`,
    );
  return withSubtasks(journalOf, header, records, onLeftOut);
}

async function withSubtasks(
  journalOf: (id: string) => ReadJournal,
  header: HeaderRecord,
  records: readonly JournalRecord[],
  onLeftOut: (part: LeftOut) => void,
): Promise<RecordedTask> {
  const subtasks = new Map<string, RecordedTask>();
  for (const id of childrenIn(records)) {
    const own = await recordsIn(journalOf(id), (tail) => onLeftOut({ taskId: id, tail }));
    const [first] = own;
    if (first?.kind === "header") subtasks.set(id, await withSubtasks(journalOf, first, own, onLeftOut));
    else onLeftOut({ taskId: id });
  }
  return { header, records, subtask: (id) => subtasks.get(id) };
}

async function recordsIn(
  driver: ReadJournal,
  onTail: (tail: JournalTail) => void,
): Promise<readonly JournalRecord[]> {
  try {
    const records: JournalRecord[] = [];
    for await (const record of readJournal(driver, { onTail })) records.push(record);
    return records;
  } finally {
    await driver.close();
  }
}

const childrenIn = (records: readonly JournalRecord[]): ReadonlySet<string> =>
  new Set(
    records.flatMap((record) =>
      record.kind === "commit"
        ? record.calls.flatMap((call) => (call.phase === "delegated" ? [call.childId] : []))
        : [],
    ),
  );
