/** A row of a worker. */
export interface WorkerRow {
  readonly id: string;
  /** Time until its lease ends, in ticks. 0: it has ended. */
  readonly left: number;
  /** Whether the lease was ended, or declared as ended by a claim. */
  readonly isDead: boolean;
}

/** A record of the one task: the start of an effect, its end, or that its end is unknown. */
export interface EffectRecord {
  readonly kind: "start" | "end" | "uncertain";
  readonly effect: number;
}

/** A record with the claim in which it was written. */
export interface WrittenRecord extends EffectRecord {
  readonly epoch: number;
  readonly by: string;
}

/** The content of the database: the workers, and one task with its records. */
export interface Database {
  readonly workers: readonly WorkerRow[];
  readonly epoch: number;
  readonly owner?: string;
  readonly records: readonly WrittenRecord[];
}

/** A statement of a worker. Each is executed as one transaction, or never. */
export type Statement =
  | { readonly type: "register"; readonly worker: string }
  | { readonly type: "renew"; readonly worker: string }
  | { readonly type: "end"; readonly worker: string }
  | { readonly type: "claim"; readonly worker: string }
  | {
      readonly type: "append";
      readonly worker: string;
      readonly epoch: number;
      /** The end that the writer knows: with its epoch, the place of the first record. */
      readonly from: number;
      readonly records: readonly EffectRecord[];
    }
  | { readonly type: "release"; readonly worker: string; readonly epoch: number };

export type Answer =
  | { readonly type: "registered"; readonly worker: string }
  | { readonly type: "renewed" }
  | { readonly type: "expired" }
  | { readonly type: "ended" }
  | {
      readonly type: "claimed";
      readonly epoch: number;
      readonly records: readonly WrittenRecord[];
    }
  | { readonly type: "refused" }
  | { readonly type: "appended" }
  | { readonly type: "fenced" }
  | { readonly type: "changed" }
  | { readonly type: "released" };

export interface Executed {
  readonly database: Database;
  readonly answer: Answer;
}

export const EMPTY_DATABASE: Database = { workers: [], epoch: 0, records: [] };

/**
 * Executes a statement. This is what the statements of every database driver must do; a property test compares the
 * statements of Postgres with it.
 * @param leaseTicks Time of a lease.
 */
export function execute(database: Database, statement: Statement, leaseTicks: number): Executed {
  switch (statement.type) {
    case "register": {
      const row = { id: statement.worker, left: leaseTicks, isDead: false };
      const workers = [...database.workers, row];
      return { database: { ...database, workers }, answer: { type: "registered", worker: statement.worker } };
    }
    case "renew":
      if (!isAlive(database, statement.worker)) return { database, answer: { type: "expired" } };
      return {
        database: withRow(database, statement.worker, { left: leaseTicks }),
        answer: { type: "renewed" },
      };
    case "end":
      return { database: withRow(database, statement.worker, { isDead: true }), answer: { type: "ended" } };
    case "claim":
      return claim(database, statement.worker);
    case "append":
      return append(database, statement);
    case "release": {
      const isOwn = database.owner === statement.worker && database.epoch === statement.epoch;
      const { owner: _, ...unowned } = database;
      return { database: isOwn ? unowned : database, answer: { type: "released" } };
    }
  }
}

/** The database after ticks of its clock. Less than 0: the clock is set back. */
export function ticked(database: Database, ticks: number): Database {
  return {
    ...database,
    workers: database.workers.map((row) => ({ ...row, left: Math.max(0, row.left - ticks) })),
  };
}

/** Declares the owner dead if its lease has ended, and gives the task to the worker if nobody alive owns it. */
function claim(database: Database, worker: string): Executed {
  const { owner } = database;
  const isOver = owner !== undefined && database.workers.some(({ id, left }) => id === owner && left === 0);
  const declared = owner !== undefined && isOver ? withRow(database, owner, { isDead: true }) : database;
  const isTaken = owner !== undefined && owner !== worker && isAlive(declared, owner);
  if (isTaken || !isAlive(declared, worker)) return { database: declared, answer: { type: "refused" } };
  const epoch = declared.epoch + 1;
  return {
    database: { ...declared, epoch, owner: worker },
    answer: { type: "claimed", epoch, records: declared.records },
  };
}

/** Appends at the place that the writer knows to be the next one. Each claim since took the place of a stale append. */
function append(
  database: Database,
  { worker, epoch, from, records }: Extract<Statement, { readonly type: "append" }>,
): Executed {
  // A place for each claim and for each record.
  if (database.epoch + database.records.length !== epoch + from) {
    const isOwner = database.epoch === epoch && database.owner === worker;
    return { database, answer: { type: isOwner ? "changed" : "fenced" } };
  }
  const written = records.map((record) => ({ ...record, epoch, by: worker }));
  return {
    database: { ...database, records: [...database.records, ...written] },
    answer: { type: "appended" },
  };
}

const isAlive = ({ workers }: Database, worker: string): boolean =>
  workers.some(({ id, isDead }) => id === worker && !isDead);

function withRow(database: Database, worker: string, change: Partial<WorkerRow>): Database {
  return {
    ...database,
    workers: database.workers.map((row) => (row.id === worker ? { ...row, ...change } : row)),
  };
}
