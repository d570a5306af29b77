import { z } from "zod";
import { systemCode } from "../files/system-code.ts";
import { changedError } from "../journal/error.ts";
import { count, type Database, rowOf, type Statements } from "./database.ts";
import type { JournalAddress, OwnedTask, Ownership } from "./ownership.ts";
import type { Tables } from "./tables.ts";

const NEWLINE = 0x0a;

/** SQLSTATE of a row whose key is taken. */
const TAKEN = "23505";

const RowPlace = z.object({ n: count, from_byte: count, length: count, whole: z.boolean() });
const Places = z.object({ places: count });

/**
 * Changes to the rows of a task that hold only for its owner: a stale one changes no byte. An append takes the next places,
 * and a claim took those that the owner before would use.
 */
export class OwnedLines {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #ownership: Ownership;
  readonly #appendLine: string;
  readonly #appendLines: string;

  constructor(database: Database, tables: Tables, ownership: Ownership) {
    this.#database = database;
    this.#tables = tables;
    this.#ownership = ownership;
    this.#appendLine = `INSERT INTO ${tables.record} (task, n, from_byte, content) VALUES ($1, $2, $3, $4)`;
    this.#appendLines = `INSERT INTO ${tables.record} (task, n, from_byte, content)
      SELECT $1, $2 + line.number - 1, $3 + line.start, substring($4::bytea FROM line.start + 1 FOR line.length)
        FROM unnest($5::int[], $6::int[]) WITH ORDINALITY AS line(start, length, number)`;
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
    const { bytes, next } = owned;
    const line = [address.task, next, bytes, content];
    try {
      await (starts.length === 1
        ? statements.query(this.#appendLine, line)
        : statements.query(this.#appendLines, [...line, starts, lengths]));
    } catch (error) {
      throw systemCode(error) === TAKEN ? await this.#ownership.problem(address, owned) : error;
    }
    return { ...owned, bytes: bytes + content.length, next: next + starts.length };
  }

  /** The end of the last whole line. @throws JournalError `JOURNAL_CHANGED` */
  async wholeEnd({ task, path }: JournalAddress, { bytes }: OwnedTask): Promise<number> {
    const last = await this.#rowAt(this.#database, task, bytes);
    const found = last === undefined ? 0 : last.from_byte + last.length;
    if (found !== bytes) throw changedError(path, `${bytes}`, found);
    return last === undefined || last.whole ? bytes : last.from_byte;
  }

  /** Whether the bytes from there on are these. */
  async endsWith({ task }: JournalAddress, from: number, content: Buffer): Promise<boolean> {
    const found = await this.#database.query(
      `SELECT string_agg(content, ''::bytea ORDER BY n) = $3::bytea AS same FROM ${this.#tables.record}
        WHERE task = $1 AND n > coalesce((SELECT n FROM ${this.#tables.record} WHERE task = $1 AND from_byte < $2 ORDER BY n DESC LIMIT 1), -1)`,
      [task, from, content],
    );
    return rowOf(z.object({ same: z.boolean().nullable() }), found)?.same === true;
  }

  /**
   * Remove everything after the first `length` bytes. `discard`: without a backup. Resolves with the name of the backup. The
   * rows keep their places, so that no stale append finds one free.
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
        `SELECT FROM ${task} WHERE id = $1 AND epoch = $2 AND owner = $3 FOR UPDATE`,
        [id, owned.epoch, owned.worker],
      );
      const end = await this.#ownership.endIn(statements, id);
      if (locked.rows.length === 0 || end.next !== owned.next) return undefined;
      // The line that the new end divides, or the last one that is left.
      const { n } = (await this.#rowAt(statements, id, length)) ?? { n: 0 };
      const place = await this.#freePlace(statements, id, `torn-${length}`);
      const values = [id, n, length];
      if (!discard)
        await statements.query(
          `INSERT INTO ${torn} (task, place, n, content)
            SELECT task, $4, n, substring(content FROM greatest($3::bigint - from_byte, 0)::int + 1) FROM ${record}
              WHERE task = $1 AND n >= $2 AND octet_length(content) > 0 AND from_byte + octet_length(content) > $3`,
          [...values, place],
        );
      await statements.query(
        `UPDATE ${record} SET content = substring(content FOR greatest($3::bigint - from_byte, 0)::int), from_byte = least(from_byte, $3)
          WHERE task = $1 AND n >= $2 AND from_byte + octet_length(content) > $3`,
        values,
      );
      await statements.query(`UPDATE ${task} SET generation = gen_random_uuid() WHERE id = $1`, [id]);
      return { owned: { ...owned, bytes: length }, place };
    });
    if (cut === undefined) throw await this.#ownership.problem(address, owned);
    return cut;
  }

  /** The last row with content that begins at this byte or before. */
  async #rowAt(statements: Statements, id: string, byte: number) {
    const found = await statements.query(
      `SELECT n, from_byte, octet_length(content) AS length, get_byte(content, octet_length(content) - 1) = ${NEWLINE} AS whole
        FROM ${this.#tables.record} WHERE task = $1 AND from_byte <= $2 AND octet_length(content) > 0 ORDER BY n DESC LIMIT 1`,
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
