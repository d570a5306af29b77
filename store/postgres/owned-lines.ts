import { z } from "zod";
import { changedError } from "../journal/error.ts";
import { count, type Database, rowOf, type Statements } from "./database.ts";
import type { JournalAddress, OwnedTask, Ownership } from "./ownership.ts";
import type { Tables } from "./tables.ts";

const NEWLINE = 0x0a;

const RowPlace = z.object({ n: count, from_byte: count, length: count, whole: z.boolean() });
const AppendedRow = z.object({ lines: count });
const Places = z.object({ places: count });

/** Changes to the rows of a task that hold only for its owner: a stale one changes no byte. */
export class OwnedLines {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #ownership: Ownership;
  readonly #append: string;

  constructor(database: Database, tables: Tables, ownership: Ownership) {
    this.#database = database;
    this.#tables = tables;
    this.#ownership = ownership;
    this.#append = `SELECT ${tables.append_lines}($1, $2, $3, $4, $5, $6, $7) AS lines`;
  }

  /**
   * Append lines in one statement, by default in a transaction of its own.
   *
   * @throws JournalError `JOURNAL_LOCKED`, `JOURNAL_CHANGED`
   */
  async append(
    address: JournalAddress,
    owned: OwnedTask,
    content: Buffer,
    statements: Statements = this.#database,
  ): Promise<OwnedTask> {
    const { starts, lengths } = linesIn(content);
    const { epoch, worker, bytes, records } = owned;
    const values = [address.task, epoch, worker, bytes, content, starts, lengths];
    const done = await statements.query(this.#append, values);
    if (rowOf(AppendedRow, done)?.lines !== starts.length)
      throw await this.#ownership.problem(address, owned);
    return { ...owned, bytes: bytes + content.length, records: records + starts.length };
  }

  /** The end of the last whole line. @throws JournalError `JOURNAL_CHANGED` */
  async wholeEnd({ task, path }: JournalAddress, { bytes }: OwnedTask): Promise<number> {
    const last = await this.#rowAt(this.#database, task, bytes);
    const found = last === undefined ? 0 : last.from_byte + last.length;
    if (found !== bytes) throw changedError(path, `${bytes}`, found);
    return last === undefined || last.whole ? bytes : last.from_byte;
  }

  /** Whether the last bytes are these. */
  async endsWith({ task }: JournalAddress, { records }: OwnedTask, content: Buffer): Promise<boolean> {
    const lines = linesIn(content).starts.length;
    const found = await this.#database.query(
      `SELECT string_agg(content, ''::bytea ORDER BY n) = $3::bytea AS same FROM ${this.#tables.record} WHERE task = $1 AND n >= $2`,
      [task, records - lines, content],
    );
    return rowOf(z.object({ same: z.boolean().nullable() }), found)?.same === true;
  }

  /**
   * Remove everything after the first `length` bytes. `discard`: without a backup. Resolves with the name of the backup.
   *
   * @throws JournalError `JOURNAL_LOCKED`, `JOURNAL_CHANGED`
   */
  async cut(
    address: JournalAddress,
    owned: OwnedTask,
    length: number,
    { discard = false }: { readonly discard?: boolean } = {},
  ): Promise<{ readonly owned: OwnedTask; readonly place: string }> {
    const { task, record, torn } = this.#tables;
    const id = address.task;
    const cut = await this.#database.transaction(async (statements) => {
      const locked = await statements.query(
        `UPDATE ${task} SET changed_at = clock_timestamp() WHERE id = $1 AND epoch = $2 AND owner = $3 AND bytes = $4`,
        [id, owned.epoch, owned.worker, owned.bytes],
      );
      if (locked.rowCount !== 1) return undefined;
      const row = await this.#rowAt(statements, id, length);
      // The line that the new end divides, or the last one that is left.
      const { n, from_byte: start } = row ?? { n: 0, from_byte: 0 };
      const records = length > start ? n + 1 : n;
      const place = await this.#freePlace(statements, id, `torn-${length}`);
      if (!discard)
        await statements.query(
          `INSERT INTO ${torn} (task, place, n, content)
            SELECT task, $2, n, substring(content FROM greatest($4::bigint - from_byte, 0)::int + 1) FROM ${record}
              WHERE task = $1 AND n >= $3 AND from_byte + octet_length(content) > $4`,
          [id, place, n, length],
        );
      await statements.query(`DELETE FROM ${record} WHERE task = $1 AND n >= $2`, [id, records]);
      await statements.query(
        `UPDATE ${record} SET content = substring(content FOR ($3::bigint - from_byte)::int)
          WHERE task = $1 AND n = $2 AND from_byte + octet_length(content) > $3`,
        [id, records - 1, length],
      );
      await statements.query(
        `UPDATE ${task} SET bytes = $2, records = $3, generation = gen_random_uuid() WHERE id = $1`,
        [id, length, records],
      );
      return { owned: { ...owned, bytes: length, records }, place };
    });
    if (cut === undefined) throw await this.#ownership.problem(address, owned);
    return cut;
  }

  /** The last row that begins at this byte or before. */
  async #rowAt(statements: Statements, id: string, byte: number) {
    const found = await statements.query(
      `SELECT n, from_byte, octet_length(content) AS length, get_byte(content, octet_length(content) - 1) = ${NEWLINE} AS whole
        FROM ${this.#tables.record} WHERE task = $1 AND from_byte <= $2 ORDER BY n DESC LIMIT 1`,
      [id, byte],
    );
    return rowOf(RowPlace, found);
  }

  async #freePlace(statements: Statements, id: string, name: string): Promise<string> {
    const found = await statements.query(
      `SELECT count(DISTINCT place) AS places FROM ${this.#tables.torn} WHERE task = $1 AND (place = $2 OR starts_with(place, $2 || '.'))`,
      [id, name],
    );
    const places = rowOf(Places, found)?.places ?? 0;
    return places === 0 ? name : `${name}.${places + 1}`;
  }
}

/** The places of the lines in a text of whole lines. */
function linesIn(content: Buffer): {
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
} {
  const starts: number[] = [];
  const lengths: number[] = [];
  for (let from = 0; from < content.length; ) {
    const end = content.indexOf(NEWLINE, from);
    const to = end === -1 ? content.length : end + 1;
    starts.push(from);
    lengths.push(to - from);
    from = to;
  }
  return { starts, lengths };
}
