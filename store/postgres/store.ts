import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { WorkerLeases } from "../ownership/worker-leases.ts";
import { isTaskId } from "../task-history/task-folder.ts";
import { checkDatabase } from "./check-database.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { PostgresError, toStatementError } from "./error.ts";
import { PostgresJournal } from "./journal.ts";
import { leaseStatements } from "./lease-statements.ts";
import { DEFAULT_SCHEMA } from "./schema-name.ts";
import { tablesIn } from "./tables.ts";

/** Options of {@link openPostgres}. */
export interface PostgresOptions extends DatabaseOptions {
  /** Schema of the tables. Default `signalbox`. */
  readonly schema?: string;
  /** Time of a lease, in ms. Default 30,000. Others can own the tasks of a process that has not renewed it for that time. */
  readonly leaseMs?: number;
  /**
   * Time before the end of a lease at which effects stop, in ms: the time to stop them, and how far the clocks of both
   * machines may drift apart in a lease. Default a fifth of `leaseMs`.
   */
  readonly marginMs?: number;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
}

/** Journals in a database. The process owns those that it writes by a lease, which it renews until `close`. */
export interface PostgresStore {
  /** The server and the database, without user and password. */
  readonly label: string;
  /** Create a driver for a task: `createHost({ journal: store.journal })`. @throws PostgresError `DATABASE_OPTION` */
  readonly journal: (taskId: string) => JournalDriver;
  /** End the lease and close all connections. Close the host first. */
  close(): Promise<void>;
}

const LEASE_MS = 30_000;
/** Share of a lease that is its margin. */
const MARGIN = 1 / 5;

/**
 * Open a database that `signalbox db migrate` has prepared, and check that it can be used.
 *
 * @throws PostgresError
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { schema = DEFAULT_SCHEMA, leaseMs = LEASE_MS, clock = systemClock } = options;
  const { marginMs = leaseMs * MARGIN } = options;
  const tables = tablesIn(schema);
  if (!(Number.isFinite(leaseMs) && leaseMs > 0))
    throw new PostgresError("DATABASE_OPTION", `Expected leaseMs above 0, got ${leaseMs}. Correct it.`);
  if (!(marginMs > 0 && marginMs < leaseMs))
    throw new PostgresError(
      "DATABASE_OPTION",
      `Expected marginMs above 0 and below leaseMs (${leaseMs}), got ${marginMs}. Correct it.`,
    );
  const database = await Database.open(options);
  try {
    await checkDatabase(database, schema);
  } catch (error) {
    await database.close();
    throw error;
  }
  const statements = leaseStatements(database, tables, leaseMs);
  const leases = new WorkerLeases({ statements, leaseMs, marginMs, clock });
  return {
    label: database.label,
    journal(taskId) {
      if (!isTaskId(taskId))
        throw new PostgresError(
          "DATABASE_OPTION",
          `Expected a task id, got ${JSON.stringify(taskId.slice(0, 200))}. Choose another id.`,
        );
      return new PostgresJournal({ database, tables, schema, taskId, leases });
    },
    async close() {
      try {
        await leases.end();
      } catch (error) {
        throw toStatementError(database.label, error);
      } finally {
        await database.close();
      }
    },
  };
}
