import { z } from "zod";
import { JournalError } from "../journal/error.ts";
import { type JournalTail, readJournal } from "../journal/reader.ts";
import { count, type Database, rowOf } from "./database.ts";
import { toStatementError } from "./error.ts";
import { Pages } from "./pages.ts";
import { type Tables, tablesIn } from "./tables.ts";

/** A task whose journal is not as it was written. */
export interface JournalProblem {
  readonly task: string;
  readonly problem: string;
}

/** The counts of a schema, and the problems of its journals. */
export interface JournalsReport {
  readonly tasks: number;
  /** Tasks that a worker owns. */
  readonly owned: number;
  readonly records: number;
  readonly bytes: number;
  /** Workers whose lease has not ended. */
  readonly workers: number;
  readonly problems: readonly JournalProblem[];
}

const Counts = z.object({ tasks: count, owned: count, records: count, bytes: count, workers: count });
const Id = z.object({ id: z.string() });
const RowsOfTask = z.object({ broken: count.nullable(), lost: z.boolean(), last_n: count.nullable() });

/**
 * Check that the rows of each task are contiguous and parse as records. Takes no locks: tasks may be running.
 *
 * @throws PostgresError `DATABASE_FAILED`, `DATABASE_DENIED`
 */
export async function checkJournals(database: Database, schema: string): Promise<JournalsReport> {
  const tables = tablesIn(schema);
  const { task, record, worker } = tables;
  try {
    const found = await database.query(
      `SELECT count(*) AS tasks, count(owner) AS owned,
        (SELECT count(*) FROM ${record} WHERE octet_length(content) > 0) AS records,
        (SELECT coalesce(sum(octet_length(content)), 0) FROM ${record}) AS bytes,
        (SELECT count(*) FROM ${worker} WHERE dead_at IS NULL AND lease_until > clock_timestamp()) AS workers FROM ${task}`,
    );
    const counts = rowOf(Counts, found) ?? { tasks: 0, owned: 0, records: 0, bytes: 0, workers: 0 };
    const problems: JournalProblem[] = [];
    const orphans = await database.query(
      `SELECT DISTINCT task AS id FROM ${record} r
        WHERE octet_length(content) > 0 AND NOT EXISTS (SELECT FROM ${task} t WHERE t.id = r.task) ORDER BY 1`,
    );
    for (const row of orphans.rows)
      problems.push({ task: Id.parse(row).id, problem: "it has records and no row in the table task" });
    for await (const id of taskIdsIn(database, tables)) {
      const problem =
        (await rowsProblem(database, tables, id)) ?? (await recordsProblem(database, tables, id));
      if (problem !== undefined) problems.push({ task: id, problem });
    }
    return { ...counts, problems };
  } catch (error) {
    throw toStatementError(database.label, error);
  }
}

/** Ids read at once. */
const IDS_MAX = 1_000;

/** The ids of all tasks that have records, sorted, in pages. */
export async function* taskIdsIn(database: Database, { task, record }: Tables): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const { rows } = await database.query(
      `SELECT id FROM ${task} WHERE id > $1 AND EXISTS (SELECT FROM ${record} WHERE task = id AND octet_length(content) > 0)
        ORDER BY id LIMIT $2`,
      [after, IDS_MAX],
    );
    const ids = rows.map((row) => Id.parse(row).id);
    yield* ids;
    const last = ids.at(-1);
    if (last === undefined || ids.length < IDS_MAX) return;
    after = last;
  }
}

/** The first problem of a task's rows, which one statement reads: a writer beside it changes nothing. */
async function rowsProblem(
  database: Database,
  { task, record }: Tables,
  id: string,
): Promise<string | undefined> {
  const found = await database.query(
    `SELECT t.last_n, coalesce(t.last_n > r.last, false) AS lost, r.broken FROM ${task} t, (
      SELECT max(n) AS last, min(n) FILTER (WHERE NOT fits) AS broken FROM (
      SELECT n, n = first + number AND from_byte = coalesce(sum(length) OVER before, 0) AND (
          newline = length OR (newline = 0 AND coalesce(sum(length) OVER after, 0) = 0)) AS fits
        FROM (
          SELECT n, from_byte, octet_length(content) AS length, position('\\x0a'::bytea IN content) AS newline,
              row_number() OVER (ORDER BY n) - 1 AS number, min(n) OVER () AS first
            FROM ${record} WHERE task = $1
        ) AS line
        WINDOW before AS (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
          after AS (ORDER BY n ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
      ) AS placed
    ) AS r WHERE t.id = $1`,
    [id],
  );
  const rows = rowOf(RowsOfTask, found);
  if (rows === undefined) return undefined;
  if (rows.broken !== null)
    return `row ${rows.broken} is not contiguous: its number, its offset or its newline does not fit`;
  return rows.lost ? `expected rows up to ${rows.last_n}, which its last owner left, found fewer` : undefined;
}

/** The first line that does not parse. An incomplete last line is removed, with a backup, by the next append. */
async function recordsProblem(database: Database, tables: Tables, id: string): Promise<string | undefined> {
  const address = { task: id, path: id };
  const pages = new Pages(database, tables);
  const tails: JournalTail[] = [];
  try {
    const records = readJournal(
      { path: id, read: () => pages.read(address) },
      { onTail: (tail) => tails.push(tail) },
    );
    for await (const _ of records);
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return error.message;
  }
  const damaged = tails.find(({ kind }) => kind === "damaged");
  return damaged && `line ${damaged.line}: ${damaged.reason}`;
}
