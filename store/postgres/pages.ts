import { z } from "zod";
import type { JournalGrowth, JournalPlace } from "../../ports/journal.ts";
import { JournalError } from "../journal/error.ts";
import { count, rowOf, type Statements } from "./database.ts";
import type { JournalAddress } from "./ownership.ts";
import type { Tables } from "./tables.ts";

/** Bytes of a page. A page has one line at least, however long it is. */
const PAGE_BYTES = 1024 * 1024;
/** Lines of a page. */
const PAGE_LINES = 2_000;

const TaskRow = z.object({ generation: z.string(), n: count, bytes: count });
const StartRow = z.object({ n: count, from_byte: count });
const PageRow = z.object({ n: count, content: z.instanceof(Buffer) });

/** A journal as it was when a reader began: its last row, and its length. */
interface Extent extends z.output<typeof TaskRow> {
  readonly address: JournalAddress;
}

/** Reads journals in pages, without locks, beside a writer. */
export class Pages {
  readonly #statements: Statements;
  readonly #tables: Tables;

  constructor(statements: Statements, tables: Tables) {
    this.#statements = statements;
    this.#tables = tables;
  }

  /** The bytes that the journal has now. @throws JournalError `JOURNAL_CHANGED` if it is truncated in between */
  async *read(address: JournalAddress): AsyncGenerator<Uint8Array> {
    const extent = await this.#extent(address);
    if (extent !== undefined) yield* this.#pages(extent, { n: 0, from_byte: 0 }, 0);
  }

  async readAfter(address: JournalAddress, { storage, bytes }: JournalPlace): Promise<JournalGrowth> {
    const extent = await this.#extent(address);
    if (extent === undefined) return { from: { storage: "", bytes: 0 }, chunks: none() };
    const { generation } = extent;
    const from = generation === storage && extent.bytes >= bytes ? bytes : 0;
    const start = from === 0 ? { n: 0, from_byte: 0 } : await this.#start(address, from);
    return {
      from: { storage: generation, bytes: from },
      chunks: this.#pages(extent, start, from - start.from_byte),
    };
  }

  async *#pages(
    { address, generation, n: last, bytes }: Extent,
    start: z.output<typeof StartRow>,
    skip: number,
  ): AsyncGenerator<Uint8Array> {
    const { task, record } = this.#tables;
    let { n, from_byte: byte } = start;
    for (let left = skip; byte < bytes; ) {
      const { rows } = await this.#statements.query(
        `SELECT r.n, r.content FROM ${task} t JOIN ${record} r
            ON r.task = t.id AND r.n >= $3 AND r.n <= $4 AND r.from_byte < $5
          WHERE t.id = $1 AND t.generation = $2 ORDER BY r.n LIMIT ${PAGE_LINES}`,
        [address.task, generation, n, last, byte + PAGE_BYTES],
      );
      const lines = rows.map((row) => PageRow.parse(row));
      const end = lines.at(-1);
      if (end === undefined) throw truncatedError(address.path);
      const page = lines.length === 1 ? end.content : Buffer.concat(lines.map(({ content }) => content));
      n = end.n + 1;
      byte += page.length;
      const chunk = page.subarray(left);
      left = 0;
      if (chunk.length > 0) yield chunk;
    }
  }

  async #extent(address: JournalAddress): Promise<Extent | undefined> {
    const found = await this.#statements.query(
      `SELECT t.generation, r.n, r.from_byte + octet_length(r.content) AS bytes
        FROM ${this.#tables.task} t JOIN ${this.#tables.record} r ON r.task = t.id WHERE t.id = $1 ORDER BY r.n DESC LIMIT 1`,
      [address.task],
    );
    const row = rowOf(TaskRow, found);
    return row && { ...row, address };
  }

  /** The row that has a byte. The search goes backward: a reader that follows a journal is near its end. */
  async #start({ task }: JournalAddress, byte: number): Promise<z.output<typeof StartRow>> {
    const found = await this.#statements.query(
      `SELECT n, from_byte FROM ${this.#tables.record} WHERE task = $1 AND from_byte <= $2 ORDER BY n DESC LIMIT 1`,
      [task, byte],
    );
    return rowOf(StartRow, found) ?? { n: 0, from_byte: 0 };
  }
}

async function* none(): AsyncGenerator<Uint8Array> {}

const truncatedError = (path: string): JournalError =>
  new JournalError("JOURNAL_CHANGED", path, "It was truncated while it was read. Read it again.");
