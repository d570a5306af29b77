import { z } from "zod";
import type { Clock } from "../../../ports/clock.ts";
import type { TaskWatcher } from "../../task-history/watch-tasks.ts";
import { count, rowOf, type Statements } from "../database.ts";
import type { Tables } from "../tables.ts";

const SnapshotRow = z.object({ xmin: count });
const ChangedRow = z.object({ id: z.string(), changed_in: count });

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
    return changed.filter(({ id, changed_in }) => before.get(id) !== changed_in).map(({ id }) => id);
  }

  async #endedNow(): Promise<number> {
    const found = await this.#options.statements.query(
      "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin",
    );
    return rowOf(SnapshotRow, found)?.xmin ?? 0;
  }
}
