import { type CheckedSummary, summarizeJournal } from "../../task-history/summarize.ts";
import { wordsOf } from "../../task-history/words.ts";
import type { Database, Statements } from "../database.ts";
import type { Tables } from "../tables.ts";
import type { JournalRow, JournalRows } from "./journal-rows.ts";

/** Tasks that are summarized at once. */
const BATCH = 64;

/** The part of a partial index: tasks whose journals may have changed since they were summarized. */
const DUE = "(t.owner IS NOT NULL OR t.summarized_epoch IS DISTINCT FROM t.epoch)";
/** A task that is owned changes at any time: it is compared with its row. */
const CHANGED = `(t.owner IS NULL OR (s.id IS NULL AND e.bytes > 0) OR (s.id IS NOT NULL AND
  (s.epoch, s.owner, s.name, s.generation, s.bytes) IS DISTINCT FROM (t.epoch, t.owner, t.name, t.generation, coalesce(e.bytes, 0))))`;

interface Summarized extends CheckedSummary {
  readonly row: JournalRow;
}

/** The index of the task list: its rows are derived from the journals, again where a journal has changed. */
export class Summaries {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #journals: JournalRows;
  /** The update that runs, and the one that begins after it. */
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(database: Database, tables: Tables, journals: JournalRows) {
    this.#database = database;
    this.#tables = tables;
    this.#journals = journals;
  }

  /** Summarize all tasks that have changed before this call. Concurrent calls share the work. */
  update(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#update().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.update();
      });
    return this.#next;
  }

  /** Summarize one task that may have changed. */
  async summarize(id: string): Promise<void> {
    await this.#put(await this.#journals.read(`${DUE} AND t.id = $1`, [id], 1));
  }

  async #update(): Promise<void> {
    for (let after = ""; ; ) {
      const rows = await this.#journals.read(`${DUE} AND t.id > $1 AND ${CHANGED}`, [after], BATCH);
      await this.#put(rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = last.id;
    }
  }

  async #put(rows: readonly JournalRow[]): Promise<void> {
    const summarized: Summarized[] = [];
    const empty: JournalRow[] = [];
    for (const row of rows)
      if (row.bytes === 0) empty.push(row);
      else summarized.push({ row, ...(await this.#summarize(row)) });
    if (rows.length > 0) await this.#write(summarized, empty);
  }

  async #summarize(row: JournalRow): Promise<CheckedSummary> {
    const { journal, known } = await this.#journals.open(row);
    return summarizeJournal(row.id, journal, known);
  }

  /** A task that was deleted or has changed in the meantime stays due. */
  #write(summarized: readonly Summarized[], empty: readonly JournalRow[]): Promise<void> {
    const { task, task_summary } = this.#tables;
    return this.#database.transaction(async (statements) => {
      const ids = summarized.map(({ row }) => row.id);
      await lockSummaries(statements, this.#tables);
      await statements.query(
        `INSERT INTO ${task_summary} AS s (id, sort_key, workspace, parent_id, root_id, words, summary, bytes, generation,
            checked_bytes, checked_lines, epoch, owner, name, changed_in)
          SELECT g.id, sort_key, workspace, parent_id, root_id, words::tsvector, summary, bytes, generation,
              checked_bytes, checked_lines, g.epoch, g.owner, g.name, pg_current_xact_id()::text::bigint
            FROM (SELECT t.id FROM ${task} t WHERE t.id = ANY ($1) FOR KEY SHARE) t
            JOIN unnest($1::text[], $2::float8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::uuid[],
              $10::bigint[], $11::bigint[], $12::bigint[], $13::uuid[], $14::text[])
              AS g(id, sort_key, workspace, parent_id, root_id, words, summary, bytes, generation,
                checked_bytes, checked_lines, epoch, owner, name) ON g.id = t.id
          ON CONFLICT (id) DO UPDATE SET sort_key = excluded.sort_key, workspace = excluded.workspace,
            parent_id = excluded.parent_id, root_id = excluded.root_id, words = excluded.words, summary = excluded.summary,
            bytes = excluded.bytes, generation = excluded.generation, checked_bytes = excluded.checked_bytes,
            checked_lines = excluded.checked_lines, epoch = excluded.epoch, owner = excluded.owner, name = excluded.name,
            changed_in = excluded.changed_in
          WHERE s.epoch <= excluded.epoch`,
        columnsOf(summarized),
      );
      await statements.query(
        `UPDATE ${task_summary} c SET root_workspace = r.workspace FROM ${task_summary} r
          WHERE r.id = c.root_id AND c.root_workspace IS DISTINCT FROM r.workspace AND (c.id = ANY ($1) OR c.root_id = ANY ($1))`,
        [ids],
      );
      await statements.query(`DELETE FROM ${task_summary} WHERE id = ANY ($1)`, [empty.map(({ id }) => id)]);
      const read = [...summarized.map(({ row }) => row), ...empty];
      await statements.query(
        `UPDATE ${task} t SET summarized_epoch =
            CASE WHEN g.owner IS NULL AND t.epoch = g.epoch AND t.name IS NOT DISTINCT FROM g.name THEN g.epoch END
          FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[]) AS g(id, epoch, owner, name) WHERE t.id = g.id`,
        [read.map(({ id }) => id), ...listsOf(read)],
      );
    });
  }
}

/**
 * Lock the index for writing until the end of a transaction: what was read before is compared with what others wrote. A
 * deletion takes it too.
 */
export const lockSummaries = (statements: Statements, { task_summary }: Tables): Promise<unknown> =>
  statements.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`signalbox ${task_summary}`]);

/** The epochs, owners and names of tasks, a list for each. */
const listsOf = (rows: readonly JournalRow[]): unknown[] => [
  rows.map(({ epoch }) => epoch),
  rows.map(({ owner }) => owner),
  rows.map(({ name }) => name),
];

/** The values of the columns, a list for each. */
function columnsOf(summarized: readonly Summarized[]): unknown[] {
  const each = <T>(value: (task: Summarized) => T): readonly T[] => summarized.map(value);
  return [
    each(({ row }) => row.id),
    each(({ summary }) => -summary.updatedAt),
    each(({ summary }) => keyOf(summary.workspace)),
    each(({ summary }) => keyOf(summary.parentId)),
    each(({ summary }) => keyOf(summary.rootId)),
    each(({ row, summary }) =>
      wordsOf({ ...summary, title: row.name ?? summary.title })
        .map(quote)
        .join(" "),
    ),
    each(({ summary }) => JSON.stringify(summary)),
    each(({ row }) => row.bytes),
    each(({ row }) => row.generation),
    each(({ checked }) => checked.bytes),
    each(({ checked }) => checked.lines),
    ...listsOf(summarized.map(({ row }) => row)),
  ];
}

/** Characters of a text that is a key of an index. */
const KEY_CHARS_MAX = 200;

/** A text as a key of an index, which has no NUL. */
export const keyOf = (text: string | undefined): string | null =>
  text?.replaceAll("\0", "").slice(0, KEY_CHARS_MAX) ?? null;

/** A word consists of letters and digits. */
const quote = (word: string): string => `'${word}'`;
