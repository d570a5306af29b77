import { z } from "zod";
import type { Clock } from "../../../ports/clock.ts";
import type { TaskWatcher } from "../../task-history/watch-tasks.ts";
import { count, rowOf, type Statements } from "../database.ts";
import type { Tables } from "../tables.ts";

const SnapshotRow = z.object({ xmin: count });
const ChangedRow = z.object({ id: z.string(), changed_in: count });
const EndedRow = z.object({ id: z.string(), lease: z.string() });

/** Time in which the end of a lease is noticed, as an interval of the database: looks may be late. */
const LEASE_ENDS = "1 minute";

export interface WatchOptions {
  readonly statements: Statements;
  readonly tables: Tables;
  readonly clock: Clock;
  /** Time between two looks at the database, in ms. */
  readonly watchMs: number;
  /** Bring the index up to date. */
  readonly update: () => Promise<void>;
  /** Convert an error of the database. */
  readonly toError: (error: unknown) => unknown;
}

/**
 * Watch the tasks that any process changes, until the returned function is called. A notification of the database would need
 * a session of its own, which a connection pooler does not give: the index is read again after some time.
 */
export function watchSummaries(options: WatchOptions, { onChange, onError }: TaskWatcher): () => void {
  const { clock, watchMs, update, toError } = options;
  const changes = new Changes(options);
  let isEnded = false;
  let cancelTimer = (): void => {};
  let isFailing = false;
  const look = async (): Promise<void> => {
    try {
      await changes.begin();
      await update();
      for (const id of await changes.next()) if (!isEnded) onChange(id);
      isFailing = false;
    } catch (error) {
      // It may be reachable again later. Each failure is reported once.
      if (!(isFailing || isEnded)) onError(toError(error));
      isFailing = true;
    }
    if (!isEnded) cancelTimer = clock.after(watchMs, () => void look());
  };
  void look();
  return () => {
    isEnded = true;
    cancelTimer();
  };
}

/** The rows of the index that were written since the beginning, or the last time. */
class Changes {
  readonly #options: Pick<WatchOptions, "statements" | "tables">;
  /** Transactions before it have ended. */
  #ended: number | undefined;
  /** The reported writes of transactions that had not ended. */
  #reported = new Map<string, number>();
  /** The tasks whose owners' leases had ended, with the ends of the leases. */
  #abandonedBefore = new Map<string, string>();

  constructor(options: Pick<WatchOptions, "statements" | "tables">) {
    this.#options = options;
  }

  /** Begin now, unless it has begun. Earlier writes are no changes. */
  async begin(): Promise<void> {
    this.#ended ??= await this.#endedNow();
  }

  async next(): Promise<readonly string[]> {
    const { statements, tables } = this.#options;
    const ended = await this.#endedNow();
    const { rows } = await statements.query(
      `SELECT id, changed_in FROM ${tables.task_summary} WHERE changed_in >= $1`,
      [this.#ended],
    );
    this.#ended = ended;
    const changed = rows.map((row) => ChangedRow.parse(row));
    const before = this.#reported;
    this.#reported = new Map(changed.map(({ id, changed_in }) => [id, changed_in]));
    const written = changed.filter(({ id, changed_in }) => before.get(id) !== changed_in).map(({ id }) => id);
    return [...written, ...(await this.#abandoned())];
  }

  /** The tasks of owners whose leases have ended since the last time. */
  async #abandoned(): Promise<readonly string[]> {
    const { statements, tables } = this.#options;
    const { rows } = await statements.query(
      `SELECT t.id, w.lease_until::text AS lease FROM ${tables.worker} w JOIN ${tables.task} t ON t.owner = w.id
        WHERE t.owner IS NOT NULL AND w.lease_until <= clock_timestamp()
          AND w.lease_until > clock_timestamp() - interval '${LEASE_ENDS}'`,
    );
    const ended = rows.map((row) => EndedRow.parse(row));
    const before = this.#abandonedBefore;
    this.#abandonedBefore = new Map(ended.map(({ id, lease }) => [id, lease]));
    return ended.filter(({ id, lease }) => before.get(id) !== lease).map(({ id }) => id);
  }

  async #endedNow(): Promise<number> {
    const found = await this.#options.statements.query(
      "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin",
    );
    return rowOf(SnapshotRow, found)?.xmin ?? 0;
  }
}
