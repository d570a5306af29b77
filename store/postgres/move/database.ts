import { z } from "zod";
import type { Leases } from "../../../ports/ownership.ts";
import { closedError } from "../../journal/error.ts";
import { taskIdsIn } from "../check-journals.ts";
import { type Database, rowOf } from "../database.ts";
import { JournalRows } from "../history/journal-rows.ts";
import { Summaries } from "../history/summaries.ts";
import { addHolder, removeHolder } from "../holders.ts";
import { PostgresJournal } from "../journal.ts";
import { ownedHere, toJournalError } from "../journal-error.ts";
import { PostgresObjects } from "../objects.ts";
import { OwnedLines } from "../owned-lines.ts";
import { Ownership } from "../ownership.ts";
import { Pages } from "../pages.ts";
import { removeRows } from "../removal.ts";
import type { Tables } from "../tables.ts";
import { assertNoCommands, continuePositions } from "./moved-inbox.ts";
import type { HeldJournal, JournalSide } from "./side.ts";

/** Bytes of whole lines that one statement writes, unless a line is longer. */
const BATCH_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

const Named = z.object({ name: z.string().nullable() });
const Subtask = z.object({ subtask: z.string() });

export interface DatabaseSideOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly schema: string;
  /** The leases of the worker that owns a task while it is copied. */
  readonly leases: Leases;
}

/** The journals in a schema. */
export function databaseSide(options: DatabaseSideOptions): JournalSide {
  const { database, tables, schema } = options;
  const journals = new JournalRows(database, tables, (taskId) => new PostgresJournal({ ...options, taskId }));
  const summaries = new Summaries(database, tables, journals);
  return {
    place: `${database.label} ${schema}`,
    index: (id) => summaries.summarize(id),
    ids: () => taskIdsIn(database, tables),
    hold: (id) => holdRows(id, options),
  };
}

/** The rows of a task that a worker owns. */
export interface HeldRows extends HeldJournal {
  /** Remove the task. `parentId`: mark it there as a deleted subtask, in the same transaction. */
  remove(parentId: string | undefined): Promise<void>;
}

/** Own a task, which may be new. @throws JournalError `JOURNAL_LOCKED` */
export async function holdRows(
  id: string,
  { database, tables, schema, leases }: DatabaseSideOptions,
): Promise<HeldRows> {
  const path = `${database.label} ${schema}/${id}`;
  const lease = await leases.held();
  if (lease === undefined) throw closedError(path);
  const { worker } = lease;
  const address = { task: id, path };
  const ownership = new Ownership(database, tables);
  const lines = new OwnedLines(database, tables, ownership);
  const pages = new Pages(database, tables);
  const holder = {};
  if (!addHolder(worker, id, holder)) throw ownedHere(path);
  const close = async (): Promise<void> => {
    removeHolder(worker, id, holder);
    await ownership.release(id, worker, owned.epoch);
  };
  let owned = await ownership.claim(address, worker, { alsoMoved: true }).catch((error: unknown) => {
    removeHolder(worker, id, holder);
    throw toJournalError(path, error);
  });
  try {
    await assertNoCommands(database, tables, address);
  } catch (error) {
    await close();
    throw toJournalError(path, error);
  }
  const setMoved = async (place: string | null): Promise<void> => {
    const { rowCount } = await database.query(
      `UPDATE ${tables.task} SET moved_to = $3 WHERE id = $1 AND owner = $2`,
      [id, worker, place],
    );
    if (rowCount !== 1) throw await ownership.problem(address, owned);
  };
  return {
    place: path,
    movedTo: await ownership.movedTo(id),
    objects: new PostgresObjects({ database, tables, schema, taskId: id, leases }),
    async name() {
      const found = await database.query(`SELECT name FROM ${tables.task} WHERE id = $1`, [id]);
      return rowOf(Named, found)?.name ?? undefined;
    },
    read: () => pages.read(address),
    async deletedSubtasks() {
      const { rows } = await database.query(
        `SELECT subtask FROM ${tables.deleted_subtask} WHERE task = $1 ORDER BY 1`,
        [id],
      );
      return rows.map((row) => Subtask.parse(row).subtask);
    },
    /** All or nothing: one transaction. */
    async write(source, has) {
      const deleted = await source.deletedSubtasks();
      const name = await source.name();
      owned = await database.transaction(async (statements) => {
        await statements.query(
          `INSERT INTO ${tables.deleted_subtask} (task, subtask) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
          [id, [...deleted]],
        );
        await statements.query(`UPDATE ${tables.task} SET name = $2 WHERE id = $1`, [id, name ?? null]);
        let next = owned;
        for await (const batch of batchesOf(source.read(), has))
          next = await lines.append(address, next, batch, statements);
        await continuePositions(statements, tables, id);
        return next;
      });
    },
    async remove(parentId) {
      const isOwned = await database.transaction((statements) =>
        removeRows(statements, tables, { ...owned, id, parentId }),
      );
      if (!isOwned) throw await ownership.problem(address, owned);
    },
    mark: setMoved,
    unmark: () => setMoved(null),
    close,
  };
}

/** The bytes after the first `skip`, in batches of whole lines; the last one may end with an incomplete line. */
async function* batchesOf(chunks: AsyncIterable<Uint8Array>, skip: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let left = skip;
  for await (const chunk of chunks) {
    const rest = Buffer.from(chunk).subarray(Math.min(left, chunk.length));
    left -= chunk.length - rest.length;
    waiting.push(rest);
    bytes += rest.length;
    const end = bytes < BATCH_BYTES ? 0 : rest.lastIndexOf(NEWLINE) + 1;
    if (end === 0) continue;
    yield Buffer.concat([...waiting.slice(0, -1), rest.subarray(0, end)]);
    waiting = [rest.subarray(end)];
    bytes = rest.length - end;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
