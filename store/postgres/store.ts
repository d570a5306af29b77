import type { JournalDriver } from "../../ports/journal.ts";
import type { LeaseStatements, WorkerLease } from "../../ports/ownership.ts";
import { isTaskId } from "../task-history/task-folder.ts";
import { checkDatabase } from "./check-database.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { PostgresError, toStatementError } from "./error.ts";
import { PostgresJournal } from "./journal.ts";
import { leaseStatements } from "./lease-statements.ts";
import { DEFAULT_SCHEMA } from "./schema-name.ts";
import { tablesIn } from "./tables.ts";

/** Options of {@link openPostgres}: the database, and the lease by which this process owns tasks. */
export interface PostgresOptions extends DatabaseOptions {
  /** Schema of the tables. Default `signalbox`. */
  readonly schema?: string;
  /** Begins to keep the lease by which this process owns tasks. It calls the statements. */
  readonly lease: (statements: LeaseStatements) => WorkerLease;
  /** Time of a lease, in ms. Default 30,000. Others own the tasks of a process that has not renewed it for that time. */
  readonly leaseMs?: number;
}

/** Journals in a database, and the lease by which this process owns those that it writes. */
export interface PostgresStore {
  /** The server and the database, without user and password. */
  readonly label: string;
  /** The lease: when it is lost, another process may own the tasks. */
  readonly lease: WorkerLease;
  /** Create a driver for a task: `createHost({ journal: store.journal })`. @throws PostgresError `DATABASE_OPTION` */
  readonly journal: (taskId: string) => JournalDriver;
  /** End the lease and close all connections. Close the host first. */
  close(): Promise<void>;
}

const LEASE_MS = 30_000;

/**
 * Open a database that `signalbox db migrate` has prepared, and check that it can be used.
 *
 * @throws PostgresError
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { schema = DEFAULT_SCHEMA, leaseMs = LEASE_MS } = options;
  const tables = tablesIn(schema);
  if (!(Number.isFinite(leaseMs) && leaseMs > 0))
    throw new PostgresError("DATABASE_OPTION", `Expected leaseMs above 0, got ${leaseMs}. Correct it.`);
  const database = await Database.open(options);
  try {
    await checkDatabase(database, schema);
  } catch (error) {
    await database.close();
    throw error;
  }
  const lease = options.lease(leaseStatements(database, tables, leaseMs));
  return {
    label: database.label,
    lease,
    journal(taskId) {
      if (!isTaskId(taskId))
        throw new PostgresError(
          "DATABASE_OPTION",
          `Expected a task id, got ${JSON.stringify(taskId.slice(0, 200))}. Choose another id.`,
        );
      return new PostgresJournal({ database, tables, schema, taskId, worker: lease.worker });
    },
    async close() {
      try {
        await lease.end();
      } catch (error) {
        throw toStatementError(database.label, error);
      } finally {
        await database.close();
      }
    },
  };
}
