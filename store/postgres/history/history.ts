import { z } from "zod";
import type { Clock } from "../../../ports/clock.ts";
import type { JournalDriver } from "../../../ports/journal.ts";
import { JournalError } from "../../journal/error.ts";
import { TaskHistoryError } from "../../task-history/error.ts";
import type { HistoryStore } from "../../task-history/history-store.ts";
import { summarizeJournal, withStoredFacts } from "../../task-history/summarize.ts";
import type { StoredFacts } from "../../task-history/summary.ts";
import { assertTaskId } from "../../task-history/task-folder.ts";
import { historyOf, type TaskHistory } from "../../task-history/task-history.ts";
import { count, rowOf } from "../database.ts";
import { toStatementError } from "../error.ts";
import { type DatabaseSideOptions, holdRows } from "../move/database.ts";
import { copyPool } from "../pools.ts";
import { JournalRows, journalEnd } from "./journal-rows.ts";
import { FactsRow, factColumns, joinOwner, Listing, storedFacts } from "./listing.ts";
import { searchRecords } from "./search.ts";
import { Summaries } from "./summaries.ts";
import { watchSummaries } from "./watch.ts";

/** Times of the history. */
export interface HistoryTimes {
  /** Time in which changes of other processes are noticed while tasks are watched, in ms. Default 2,000. */
  readonly watchMs?: number;
  /** Time after which a search in the records ends, in ms. Default 10,000. */
  readonly searchMs?: number;
}

const WATCH_MS = 2_000;
const SEARCH_MS = 10_000;

export interface PostgresHistoryOptions extends DatabaseSideOptions, HistoryTimes {
  readonly journal: (id: string) => JournalDriver;
  readonly clock: Clock;
}

const IdRow = z.object({ id: z.string() });
const BytesRow = z.object({ bytes: count });

/** The history of the tasks in a schema. */
export function postgresHistory(options: PostgresHistoryOptions): TaskHistory {
  const { database, tables, clock, searchMs = SEARCH_MS } = options;
  const journals = new JournalRows(database, tables, options.journal);
  const summaries = new Summaries(database, tables, journals);
  const toError = (error: unknown): unknown => toHistoryError(database.label, error);
  return historyOf(storeOf(options, journals, summaries), {
    async *search(search) {
      const ends = clock.now() + searchMs;
      const isOver = (): boolean => clock.now() >= ends;
      try {
        await summaries.update();
        yield* searchRecords(search, { statements: database, tables, isOver });
      } catch (error) {
        throw toError(error);
      }
    },
    ownFiles: async () => new Map(),
  });
}

function storeOf(options: PostgresHistoryOptions, journals: JournalRows, summaries: Summaries): HistoryStore {
  const { database, tables, schema, clock, watchMs = WATCH_MS } = options;
  const { task, task_summary } = tables;
  const listing = new Listing(database, tables);
  const toError = (error: unknown): unknown => toHistoryError(database.label, error);
  const converting = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toError(error);
    }
  };
  /** Do work for a task. @throws TaskHistoryError `ID_INVALID` */
  const about = <T>(id: string, work: () => Promise<T>): Promise<T> =>
    converting(async () => {
      assertTaskId(id);
      return work();
    });
  const idsWhere = async (condition: string, values: unknown[]): Promise<readonly string[]> => {
    const { rows } = await database.query(`SELECT id FROM ${task} t WHERE ${condition}`, values);
    return rows.map((row) => IdRow.parse(row).id);
  };
  const hasJournal = `(SELECT e.bytes FROM (${journalEnd(tables, "t.id")}) AS e) > 0`;
  const factsOf = async (id: string): Promise<StoredFacts> => {
    const found = await database.query(
      `SELECT ${factColumns()} FROM ${task} t ${joinOwner(tables)} WHERE t.id = $1`,
      [id],
    );
    const facts = rowOf(FactsRow, found);
    return facts === undefined ? {} : storedFacts(facts);
  };
  return {
    place: `${database.label} ${schema}`,
    kind: "database",
    journal: (id) => options.journal(id),
    ids: () => converting(() => idsWhere(hasJournal, [])),
    idsFrom: (prefix) =>
      converting(() => idsWhere(`t.id >= $1 AND t.id < $1 || '~' AND ${hasJournal}`, [prefix])),
    bytes: (id) =>
      about(id, async () => {
        const found = await database.query(journalEnd(tables, "$1"), [id]);
        const bytes = rowOf(BytesRow, found)?.bytes ?? 0;
        return bytes === 0 ? undefined : bytes;
      }),
    header: (id) =>
      about(id, async () => {
        const row = await journals.find(id);
        return row === undefined ? undefined : (await journals.ends(row)).header;
      }),
    facts: (id) => about(id, () => factsOf(id)),
    list: (choice) =>
      converting(async () => {
        await summaries.update();
        return listing.list(choice);
      }),
    summary: (id) =>
      about(id, async () => {
        const row = await journals.find(id);
        if (row === undefined) return undefined;
        const { journal, known } = await journals.open(row);
        const { summary } = await summarizeJournal(id, journal, known);
        return withStoredFacts(summary, await factsOf(id));
      }),
    descendants: (id) =>
      about(id, async () => {
        await summaries.update();
        const found = [id];
        for (const parent of found) {
          const { rows } = await database.query(
            `SELECT id FROM ${task_summary} WHERE parent_id = $1 ORDER BY sort_key, id`,
            [parent],
          );
          for (const row of rows) {
            const subtask = IdRow.parse(row).id;
            if (!found.includes(subtask)) found.push(subtask);
          }
        }
        return found.slice(1);
      }),
    rename: (id, name) =>
      about(id, async () => {
        await database.query(`UPDATE ${task} SET name = $2, summarized_epoch = NULL WHERE id = $1`, [
          id,
          name ?? null,
        ]);
      }),
    hold: (id) => about(id, () => holdRows(id, options)),
    removed: async () => {},
    createFork: (id, lines, root) =>
      about(id, async () => {
        const held = await holdRows(id, options);
        try {
          for await (const _ of held.read()) return false;
          // Before the records: a fork without them does not exist.
          await copyPool(database, tables, { from: root, to: id });
          await held.write(
            { read: () => bytesOf(lines), deletedSubtasks: async () => [], name: async () => undefined },
            0,
          );
          return true;
        } finally {
          await held.close();
        }
      }),
    watch: (watcher) =>
      watchSummaries(
        { statements: database, tables, clock, watchMs, update: () => summaries.update(), toError },
        watcher,
      ),
  };
}

async function* bytesOf(batches: AsyncIterable<readonly string[]>): AsyncGenerator<Uint8Array> {
  for await (const lines of batches) yield Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

/** Convert an error of the database; an error of the history or of a journal stays as it is. */
function toHistoryError(label: string, error: unknown): unknown {
  if (error instanceof TaskHistoryError || error instanceof JournalError) return error;
  return new TaskHistoryError("HISTORY_IO", toStatementError(label, error).message, { cause: error });
}
