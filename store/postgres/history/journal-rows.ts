import { z } from "zod";
import type { JournalDriver } from "../../../ports/journal.ts";
import { type CheckedPart, NOTHING_CHECKED } from "../../task-history/journal-check.ts";
import {
  type ByteRange,
  HEAD_BYTES,
  type JournalEnds,
  parseEnds,
  TAIL_BYTES,
} from "../../task-history/journal-ends.ts";
import type { SummarizedJournal } from "../../task-history/summarize.ts";
import { count, rowOf, type Statements } from "../database.ts";
import type { Tables } from "../tables.ts";

/** The SELECT of the end of a journal, from its last row with content: its bytes, and when it was written. */
export const journalEnd = ({ record }: Tables, task: string): string =>
  `SELECT from_byte + octet_length(content) AS bytes, written_at FROM ${record}
    WHERE task = ${task} AND octet_length(content) > 0 ORDER BY n DESC LIMIT 1`;

const bytes = z.instanceof(Buffer).nullable();

const JournalRow = z.object({
  id: z.string(),
  epoch: count,
  owner: z.string().nullable(),
  name: z.string().nullable(),
  generation: z.string(),
  bytes: count,
  created_at: z.number(),
  changed_at: z.number(),
  checked_bytes: count.nullable(),
  checked_lines: count.nullable(),
  summary: z.string().nullable(),
  head: bytes,
  tail: bytes,
});
/** The facts of the checked part in an indexed summary. */
const CheckedFacts = z.object({ model: z.string().exactOptional() });
const RangeRow = z.object({ content: bytes });

/** A task, and what one statement found of its journal. */
export type JournalRow = z.output<typeof JournalRow>;

/** Reads what the history needs of journals, without locks, beside a writer. */
export class JournalRows {
  readonly #statements: Statements;
  readonly #tables: Tables;
  readonly #journal: (id: string) => JournalDriver;

  constructor(statements: Statements, tables: Tables, journal: (id: string) => JournalDriver) {
    this.#statements = statements;
    this.#tables = tables;
    this.#journal = journal;
  }

  /**
   * The tasks that a condition selects, by id. In it, `t` is a row of the table task, `e` the end of the journal, and `s`
   * its row in the index.
   */
  async read(condition: string, values: unknown[], limit: number): Promise<readonly JournalRow[]> {
    const { task, record, task_summary } = this.#tables;
    const ms = (time: string): string => `coalesce(extract(epoch FROM ${time}) * 1000, 0)::float8`;
    const { rows } = await this.#statements.query(
      `WITH chosen AS (
        SELECT t.id, t.epoch, t.owner, t.name, t.generation, coalesce(e.bytes, 0) AS bytes, e.written_at,
            CASE WHEN s.generation = t.generation THEN s.checked_bytes END AS checked_bytes, s.checked_lines, s.summary
          FROM ${task} t LEFT JOIN LATERAL (SELECT * FROM ${task_summary} WHERE id = t.id LIMIT 1) s ON true
            LEFT JOIN LATERAL (${journalEnd(this.#tables, "t.id")}) e ON true
          WHERE ${condition} ORDER BY t.id LIMIT ${limit}
      )
      SELECT c.id, c.epoch, c.owner, c.name, c.generation, c.bytes, c.checked_bytes, c.checked_lines, c.summary,
          ${ms("c.written_at")} AS changed_at,
          ${ms(`(SELECT written_at FROM ${record} WHERE task = c.id ORDER BY n LIMIT 1)`)} AS created_at,
          (${this.#headOf("c.id", `${HEAD_BYTES}`)}) AS head,
          (${this.#tailOf("c.id", `greatest(c.bytes - ${TAIL_BYTES}, 0)`)}) AS tail
        FROM chosen c ORDER BY c.id`,
      values,
    );
    return rows.map((row) => JournalRow.parse(row));
  }

  /** The task with this id; undefined if it has no journal. */
  async find(id: string): Promise<JournalRow | undefined> {
    const [row] = await this.read("t.id = $1 AND e.bytes > 0", [id], 1);
    return row;
  }

  /** The journal of a row, and the part of it that was checked. */
  async open(row: JournalRow): Promise<{ readonly journal: SummarizedJournal; readonly known: CheckedPart }> {
    const { id, bytes: size, created_at: createdAt, changed_at: changedAt } = row;
    const known = checkedPartOf(row);
    const driver = this.#journal(id);
    const chunks = (from: number): AsyncIterable<Uint8Array> => chunksOf(row, driver, from);
    return { journal: { size, createdAt, changedAt, ends: await this.ends(row), driver, chunks }, known };
  }

  async ends(row: JournalRow): Promise<JournalEnds> {
    const parsing = parseEnds(row.bytes);
    let step = parsing.next();
    while (step.done !== true) step = parsing.next(await this.#range(row, step.value));
    return step.value;
  }

  async #range(row: JournalRow, { from, length }: ByteRange): Promise<Buffer> {
    const known = rangeIn(row, from, from + length);
    if (known !== undefined) return known;
    const found = await this.#statements.query(`SELECT (${this.#tailOf("$1", "$2::bigint")}) AS content`, [
      row.id,
      from,
    ]);
    return (rowOf(RangeRow, found)?.content ?? Buffer.alloc(0)).subarray(0, length);
  }

  /** The first bytes. The search goes forward from the first row. */
  #headOf(id: string, length: string): string {
    const { record } = this.#tables;
    return `SELECT substring(string_agg(substring(content FOR ${length}), ''::bytea ORDER BY n) FOR ${length}) FROM ${record}
      WHERE task = ${id} AND n < coalesce((SELECT n FROM ${record} WHERE task = ${id} AND from_byte >= ${length} ORDER BY n LIMIT 1),
        9223372036854775807)`;
  }

  /** The bytes from a place on. The search goes backward from the last row. */
  #tailOf(id: string, from: string): string {
    const { record } = this.#tables;
    return `SELECT string_agg(substring(content FROM greatest(${from} - from_byte, 0)::int + 1), ''::bytea ORDER BY n) FROM ${record}
      WHERE task = ${id} AND n >= coalesce((SELECT n FROM ${record} WHERE task = ${id} AND from_byte <= ${from} ORDER BY n DESC LIMIT 1), 0)`;
  }
}

function checkedPartOf({ checked_bytes, checked_lines, summary }: JournalRow): CheckedPart {
  if (checked_bytes === null || checked_lines === null || summary === null) return NOTHING_CHECKED;
  return { bytes: checked_bytes, lines: checked_lines, ...CheckedFacts.parse(JSON.parse(summary)) };
}

/** Bytes that were read with the row; undefined if others are needed. */
function rangeIn({ bytes: size, head, tail }: JournalRow, from: number, to: number): Buffer | undefined {
  const tailFrom = Math.max(0, size - TAIL_BYTES);
  if (tail !== null && from >= tailFrom) return tail.subarray(from - tailFrom, to - tailFrom);
  return head !== null && to <= Math.min(size, HEAD_BYTES) ? head.subarray(from, to) : undefined;
}

async function* chunksOf(
  row: JournalRow,
  driver: JournalDriver,
  from: number,
): AsyncGenerator<Uint8Array, void> {
  if (from >= row.bytes) return;
  const known = rangeIn(row, from, row.bytes);
  if (known !== undefined) return yield known;
  const grown = await driver.readAfter?.({ storage: row.generation, bytes: from });
  // Another journal is in its place: the row is no longer current, and is derived again.
  if (grown === undefined || grown.from.bytes !== from) return;
  let left = row.bytes - from;
  for await (const chunk of grown.chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
