import { z } from "zod";
import type { ObjectFolder, StoredObject, TaskObjects } from "../../ports/objects.ts";
import type { Leases } from "../../ports/ownership.ts";
import { Content } from "../objects/content.ts";
import { missingError, notOwnedError, ObjectError, toObjectError } from "../objects/error.ts";
import { assertObjectName } from "../objects/object-name.ts";
import { count, type Database, rowOf } from "./database.ts";
import type { Tables } from "./tables.ts";

/** Bytes of a row. A put keeps about two rows in memory, and a read one. */
const CHUNK_BYTES = 1024 * 1024;

const BegunRow = z.object({ id: z.string(), epoch: count });
const FoundRow = z.object({ id: z.string(), bytes: count });
const ChunkRow = z.object({ from_byte: count, content: z.instanceof(Buffer) });
const ListedRow = z.object({ name: z.string(), bytes: count });

/** The place of a task's objects, and the owner that puts them. */
export interface PostgresObjectsOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly schema: string;
  readonly taskId: string;
  /** The leases of the worker that owns the task. */
  readonly leases: Leases;
}

/** An object that is being written: its row, and the epoch in which all its statements must execute. */
interface Begun extends z.output<typeof BegunRow> {
  readonly worker: string;
}

/** The objects of a task in rows of about 1 MiB. Each statement of a put checks the owner and its epoch, as an append does. */
export class PostgresObjects implements TaskObjects {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #task: string;
  readonly #path: string;
  readonly #leases: Leases;

  constructor({ database, tables, schema, taskId, leases }: PostgresObjectsOptions) {
    this.#database = database;
    this.#tables = tables;
    this.#task = taskId;
    this.#path = `${database.label} ${schema}/${taskId}`;
    this.#leases = leases;
  }

  async put(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const place = this.#placeOf(name);
    const content = new Content(chunks);
    try {
      const lease = await this.#leases.held();
      if (lease?.holds() !== true) throw notOwnedError(place);
      const begun = await this.#begin(name, lease.worker);
      try {
        const bytes = await this.#write(begun, content, place);
        if (!lease.holds()) throw notOwnedError(place);
        await this.#publish(begun, name, bytes);
      } catch (error) {
        // Where this fails as well, a put in a later epoch removes the rows.
        await this.#discard(begun).catch(() => undefined);
        throw error;
      }
    } catch (error) {
      throw content.toError(place, error);
    }
  }

  async *read(name: string, from = 0): AsyncGenerator<Uint8Array> {
    const place = this.#placeOf(name);
    try {
      const { object } = this.#tables;
      const found = await this.#database.query(
        `SELECT id, bytes FROM ${object} WHERE task = $1 AND name = $2 AND stored_at IS NOT NULL`,
        [this.#task, name],
      );
      const row = rowOf(FoundRow, found);
      if (row === undefined) throw missingError(place);
      for (let byte = from; byte < row.bytes; ) {
        const chunk = await this.#chunkAt(row.id, byte, place);
        byte += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw toObjectError(place, error);
    }
  }

  async list(folder: ObjectFolder): Promise<readonly StoredObject[]> {
    try {
      const { rows } = await this.#database.query(
        `SELECT name, bytes FROM ${this.#tables.object}
          WHERE task = $1 AND starts_with(name, $2) AND stored_at IS NOT NULL ORDER BY name`,
        [this.#task, `${folder}/`],
      );
      return rows.map((row) => ListedRow.parse(row));
    } catch (error) {
      throw toObjectError(`${this.#path}/${folder}`, error);
    }
  }

  /** @throws ObjectError `OBJECT_NAME` */
  #placeOf(name: string): string {
    assertObjectName(name, this.#path);
    return `${this.#path}/${name}`;
  }

  /** Create the row of an object that no reader sees yet, and remove what earlier owners left unfinished. */
  async #begin(name: string, worker: string): Promise<Begun> {
    const { task, object } = this.#tables;
    await this.#database.query(
      `DELETE FROM ${object} o USING ${task} t
        WHERE o.task = $1 AND o.stored_at IS NULL AND t.id = o.task AND t.owner = $2 AND o.epoch < t.epoch`,
      [this.#task, worker],
    );
    const begun = await this.#database.query(
      `INSERT INTO ${object} (task, name, epoch) SELECT id, $2, epoch FROM ${task} WHERE id = $1 AND owner = $3
        RETURNING id, epoch`,
      [this.#task, name, worker],
    );
    const row = rowOf(BegunRow, begun);
    if (row === undefined) throw notOwnedError(this.#placeOf(name));
    return { ...row, worker };
  }

  async #write({ id, epoch, worker }: Begun, content: Content, place: string): Promise<number> {
    const { task, object_chunk: chunks } = this.#tables;
    let bytes = 0;
    for await (const chunk of inChunks(content)) {
      const { rowCount } = await this.#database.query(
        `INSERT INTO ${chunks} (object, from_byte, content)
          SELECT $1::uuid, $2::bigint, $3::bytea FROM ${task} WHERE id = $4 AND epoch = $5 AND owner = $6`,
        [id, bytes, chunk, this.#task, epoch, worker],
      );
      if (rowCount !== 1) throw notOwnedError(place);
      bytes += chunk.length;
    }
    return bytes;
  }

  /** Make an object visible in place of an earlier one. The row lock of the task waits for a claim in flight. */
  async #publish({ id, epoch, worker }: Begun, name: string, bytes: number): Promise<void> {
    const { task, object } = this.#tables;
    await this.#database.transaction(async (statements) => {
      const owned = await statements.query(
        `SELECT FROM ${task} WHERE id = $1 AND epoch = $2 AND owner = $3 FOR NO KEY UPDATE`,
        [this.#task, epoch, worker],
      );
      if (owned.rows.length === 0) throw notOwnedError(this.#placeOf(name));
      await statements.query(
        `DELETE FROM ${object} WHERE task = $1 AND name = $2 AND stored_at IS NOT NULL`,
        [this.#task, name],
      );
      await statements.query(`UPDATE ${object} SET bytes = $2, stored_at = clock_timestamp() WHERE id = $1`, [
        id,
        bytes,
      ]);
    });
  }

  async #discard({ id }: Begun): Promise<void> {
    await this.#database.query(`DELETE FROM ${this.#tables.object} WHERE id = $1 AND stored_at IS NULL`, [
      id,
    ]);
  }

  /** The rest of the row that has a byte. */
  async #chunkAt(id: string, byte: number, place: string): Promise<Uint8Array> {
    const found = await this.#database.query(
      `SELECT from_byte, content FROM ${this.#tables.object_chunk}
        WHERE object = $1 AND from_byte <= $2 ORDER BY from_byte DESC LIMIT 1`,
      [id, byte],
    );
    const row = rowOf(ChunkRow, found);
    const chunk = row?.content.subarray(byte - row.from_byte);
    if (chunk !== undefined && chunk.length > 0) return chunk;
    throw new ObjectError(
      "OBJECT_CHANGED",
      place,
      "It was replaced or deleted while it was read. Read it again.",
    );
  }
}

/** The same bytes in chunks of `CHUNK_BYTES`; the last one may be shorter. */
async function* inChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  for await (const part of content)
    for (let taken = 0; taken < part.length; ) {
      const end = taken + Math.min(part.length - taken, CHUNK_BYTES - filled);
      chunk.set(part.subarray(taken, end), filled);
      filled += end - taken;
      taken = end;
      if (filled < CHUNK_BYTES) continue;
      yield chunk;
      chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      filled = 0;
    }
  if (filled > 0) yield chunk.subarray(0, filled);
}
