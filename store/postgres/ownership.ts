import { z } from "zod";
import { changedError, type JournalError } from "../journal/error.ts";
import { movedError } from "../journal/moved.ts";
import { count, type Database, rowOf, type Statements } from "./database.ts";
import { leaseEnded, ownedByOther, ownershipLost } from "./journal-error.ts";
import { workerDescription } from "./lease-statements.ts";
import type { Tables } from "./tables.ts";

const Epoch = z.object({ epoch: count });
const LastRow = z.object({ n: count, bytes: count });

/** The end of a journal. */
export interface JournalEnd {
  readonly bytes: number;
  /** The place of the next row. */
  readonly next: number;
}

/** A task as its owner left it. Statements with an older epoch change nothing. */
export interface OwnedTask extends JournalEnd {
  readonly epoch: number;
  readonly worker: string;
}

const StateRow = z.object({
  epoch: count,
  owner: z.string().nullable(),
  owned_since: z.date().nullable(),
  moved_to: z.string().nullable(),
  description: workerDescription.nullable(),
  lease_until: z.date().nullable(),
});

/** Where a journal is, and how messages name it. */
export interface JournalAddress {
  readonly task: string;
  readonly path: string;
}

/** Who owns tasks. */
export class Ownership {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  /**
   * Own a task for a worker, unless it has another owner. An owner whose lease has ended is first declared dead: the row
   * lock waits for a renewal in flight, so that only one of both succeeds. The claim takes the next place of the journal.
   *
   * @param options `alsoMoved`: also where the task was moved to another place.
   * @throws JournalError `JOURNAL_LOCKED`
   */
  async claim(
    { task: id, path }: JournalAddress,
    me: string,
    { alsoMoved = false }: { readonly alsoMoved?: boolean } = {},
  ): Promise<OwnedTask> {
    const { task, worker } = this.#tables;
    return this.#database.transaction(async (statements) => {
      await statements.query(`INSERT INTO ${task} (id) VALUES ($1) ON CONFLICT DO NOTHING`, [id]);
      await statements.query(
        `UPDATE ${worker} SET dead_at = clock_timestamp()
          WHERE id = (SELECT owner FROM ${task} WHERE id = $1) AND dead_at IS NULL AND lease_until <= clock_timestamp()`,
        [id],
      );
      const claimed = await statements.query(
        `UPDATE ${task} SET owner = $2, epoch = epoch + 1, owned_since = clock_timestamp()
          WHERE id = $1 AND (moved_to IS NULL OR $3)
            AND (owner IS NULL OR owner = $2 OR EXISTS (SELECT FROM ${worker} w WHERE w.id = owner AND w.dead_at IS NOT NULL))
            AND EXISTS (SELECT FROM ${worker} w WHERE w.id = $2 AND w.dead_at IS NULL AND w.lease_until > clock_timestamp())
          RETURNING epoch`,
        [id, me, alsoMoved],
      );
      const owned = rowOf(Epoch, claimed);
      if (owned === undefined) throw await this.#claimProblem(statements, { task: id, path }, me, alsoMoved);
      return { ...owned, ...(await this.#takePlace(statements, id)), worker: me };
    });
  }

  /** @throws JournalError `JOURNAL_LOCKED` if the task has had another owner; `JOURNAL_CHANGED` */
  async verify(address: JournalAddress, owned: OwnedTask): Promise<void> {
    const problem = await this.#problemOf(address, owned);
    if (problem !== undefined) throw problem;
  }

  /** The reason why a statement of an owner changed nothing. */
  async problem(address: JournalAddress, owned: OwnedTask): Promise<JournalError> {
    return (await this.#problemOf(address, owned)) ?? ownershipLost(address.path);
  }

  /** The end of a journal, which is the end of its last row. */
  async endIn(statements: Statements, id: string): Promise<JournalEnd> {
    const found = await statements.query(
      `SELECT n, from_byte + octet_length(content) AS bytes FROM ${this.#tables.record} WHERE task = $1 ORDER BY n DESC LIMIT 1`,
      [id],
    );
    const last = rowOf(LastRow, found);
    return last === undefined ? { bytes: 0, next: 0 } : { bytes: last.bytes, next: last.n + 1 };
  }

  /** Take the next place by a row without content. An append in flight of the owner before may take it first. */
  async #takePlace(statements: Statements, id: string): Promise<JournalEnd> {
    for (;;) {
      const { bytes, next } = await this.endIn(statements, id);
      const { rowCount } = await statements.query(
        `INSERT INTO ${this.#tables.record} (task, n, from_byte, content) VALUES ($1, $2, $3, '') ON CONFLICT DO NOTHING`,
        [id, next, bytes],
      );
      if (rowCount === 1) return { bytes, next: next + 1 };
    }
  }

  async #problemOf({ task, path }: JournalAddress, owned: OwnedTask): Promise<JournalError | undefined> {
    const state = await this.#state(this.#database, task);
    if (state === undefined) return changedError(path, `${owned.bytes}`, 0);
    const { owner, epoch } = state;
    if (owner !== owned.worker) return otherOwner(path, state) ?? ownershipLost(path);
    if (epoch !== owned.epoch) return ownershipLost(path);
    const { bytes, next } = await this.endIn(this.#database, task);
    return next === owned.next ? undefined : changedError(path, `${owned.bytes}`, bytes);
  }

  /** End a worker's ownership of a task. `epoch`: only in this one. Absent: the claim had no answer. */
  async release(task: string, me: string, epoch?: number): Promise<void> {
    const { task: table, record } = this.#tables;
    await this.#database.query(
      `UPDATE ${table} SET owner = NULL, owned_since = NULL, last_n = (SELECT max(n) FROM ${record} WHERE task = $1)
        WHERE id = $1 AND owner = $2 AND ($3::bigint IS NULL OR epoch = $3)`,
      [task, me, epoch],
    );
  }

  /** Where a task was moved from here; undefined if it is here. */
  async movedTo(task: string): Promise<string | undefined> {
    return (await this.#state(this.#database, task))?.moved_to ?? undefined;
  }

  async #claimProblem(
    statements: Statements,
    { task, path }: JournalAddress,
    me: string,
    alsoMoved: boolean,
  ): Promise<JournalError> {
    const state = await this.#state(statements, task);
    if (state !== undefined && state.moved_to !== null && !alsoMoved) return movedError(path, state.moved_to);
    const other = state?.owner === me ? undefined : state && otherOwner(path, state);
    return other ?? leaseEnded(path);
  }

  async #state(statements: Statements, id: string): Promise<z.output<typeof StateRow> | undefined> {
    const { task, worker } = this.#tables;
    const found = await statements.query(
      `SELECT t.epoch, t.owner, t.owned_since, t.moved_to, w.description, w.lease_until
        FROM ${task} t LEFT JOIN ${worker} w ON w.id = t.owner WHERE t.id = $1`,
      [id],
    );
    return rowOf(StateRow, found);
  }
}

function otherOwner(path: string, state: z.output<typeof StateRow>): JournalError | undefined {
  const { description, owned_since: since, lease_until: leaseUntil } = state;
  if (description === null || since === null || leaseUntil === null) return undefined;
  return ownedByOther(path, { pid: description.pid, host: description.host, since, leaseUntil });
}
