import { systemClock } from "../../actors/protocol/edge.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { isTaskId } from "../task-history/task-folder.ts";
import type { TaskHistory } from "../task-history/task-history.ts";
import { checkDatabase } from "./check-database.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { PostgresError, toStatementError } from "./error.ts";
import { type HistoryTimes, postgresHistory } from "./history/history.ts";
import { PostgresJournal } from "./journal.ts";
import { assertLeaseTimes, type LeaseOptions, leasesOf } from "./leases.ts";
import { DEFAULT_SCHEMA } from "./schema-name.ts";
import { tablesIn } from "./tables.ts";

/** Options of {@link openPostgres}. */
export interface PostgresOptions extends DatabaseOptions, LeaseOptions, HistoryTimes {
  /** Schema of the tables. Default `signalbox`. */
  readonly schema?: string;
}

/** Journals in a database. The process owns those that it writes by a lease, which it renews until `close`. */
export interface PostgresStore {
  /** The server and the database, without user and password. */
  readonly label: string;
  /** Create a driver for a task: `createHost({ journal: store.journal })`. @throws PostgresError `DATABASE_OPTION` */
  readonly journal: (taskId: string) => JournalDriver;
  /** The tasks of the schema, whichever process runs them. */
  readonly history: TaskHistory;
  /** End the lease and close all connections. Close the host first. */
  close(): Promise<void>;
}

/**
 * Open a database that `signalbox db migrate` has prepared, and check that it can be used.
 *
 * @throws PostgresError
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { schema = DEFAULT_SCHEMA } = options;
  const tables = tablesIn(schema);
  assertLeaseTimes(options);
  const database = await Database.open(options);
  try {
    await checkDatabase(database, schema);
  } catch (error) {
    await database.close();
    throw error;
  }
  const leases = leasesOf(database, tables, options);
  const journal = (taskId: string): JournalDriver => {
    if (!isTaskId(taskId))
      throw new PostgresError(
        "DATABASE_OPTION",
        `Expected a task id, got ${JSON.stringify(taskId.slice(0, 200))}. Choose another id.`,
      );
    return new PostgresJournal({ database, tables, schema, taskId, leases });
  };
  const { clock = systemClock } = options;
  return {
    label: database.label,
    journal,
    history: postgresHistory({ ...options, database, tables, schema, leases, journal, clock }),
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
