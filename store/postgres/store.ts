import { tmpdir } from "node:os";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Inbox } from "../../ports/inbox.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { TaskObjects } from "../../ports/objects.ts";
import type { TaskOwners } from "../../ports/owners.ts";
import type { TaskPools } from "../../ports/pools.ts";
import type { StoreIdentity } from "../../ports/store-identity.ts";
import { TemporaryFile } from "../files/temporary-file.ts";
import { isTaskId } from "../task-history/task-folder.ts";
import type { TaskHistory } from "../task-history/task-history.ts";
import { TaskChannel } from "./channel.ts";
import { checkDatabase } from "./check-database.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { detailOf, PostgresError, toStatementError } from "./error.ts";
import { type HistoryTimes, postgresHistory } from "./history/history.ts";
import { PostgresIdentity } from "./identity.ts";
import { PostgresInbox } from "./inbox.ts";
import { PostgresJournal } from "./journal.ts";
import { assertLeaseTimes, type LeaseOptions, leasesOf } from "./leases.ts";
import { PostgresObjects } from "./objects.ts";
import { PostgresOwners } from "./owners.ts";
import { PostgresPools } from "./pools.ts";
import { DEFAULT_SCHEMA } from "./schema-name.ts";
import { tablesIn } from "./tables.ts";

/** Options of {@link openPostgres}. */
export interface PostgresOptions extends DatabaseOptions, LeaseOptions, HistoryTimes {
  /** Schema of the tables. Default `signalbox`. */
  readonly schema?: string;
  /** Commands that may wait in the inbox of one task. Default 1,000. */
  readonly inboxLimit?: number;
  /**
   * Folder, on a disk, of the file that has the messages of passive tasks. The file has no name, and ends with this process.
   * Default: the system's folder for temporary files.
   */
  readonly temporaryDir?: string;
}

/** An inbox that counts its commands. */
export interface CountedInbox extends Inbox {
  /** The number of commands of all tasks that wait. @throws PostgresError `DATABASE_FAILED` */
  waiting(): Promise<number>;
}

/** Journals and objects in a database. The process owns the tasks that it writes by a lease, which it renews until `close`. */
export interface PostgresStore {
  /** The schema of the tables. */
  readonly schema: string;
  /** The identity of the schema, by which its wakes and workers notice another one. */
  readonly identity: StoreIdentity;
  /** The server and the database, without user and password. */
  readonly label: string;
  /** Create a driver for a task: `createHost({ journal: store.journal })`. @throws PostgresError `DATABASE_OPTION` */
  readonly journal: (taskId: string) => JournalDriver;
  /** The tasks of the schema, whichever process runs them. */
  readonly history: TaskHistory;
  /**
   * The outputs and checkpoints of a task: `createHost({ journal: store.journal, objects: store.objects })`.
   * @throws PostgresError `DATABASE_OPTION`
   */
  readonly objects: (taskId: string) => TaskObjects;
  /** The commands for tasks from processes that do not own them. The store listens by a connection of its own. */
  readonly inbox: CountedInbox;
  /** The processes that own tasks. */
  readonly owners: TaskOwners;
  /** The pools of the tasks, whose workers run them. */
  readonly pools: TaskPools;
  /** Time until the effects of this process stop unless its lease is renewed, in ms. Undefined without a lease. */
  leaseRemainingMs(): number | undefined;
  /** End the lease and close all connections, once. Close the host first. */
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
  let copies: TemporaryFile;
  try {
    await checkDatabase(database, schema);
    copies = await copiesIn(options.temporaryDir);
  } catch (error) {
    await database.close();
    throw error;
  }
  const { clock = systemClock, inboxLimit } = options;
  const channel = new TaskChannel({ database, schema, clock });
  const owners = new PostgresOwners({ database, tables, channel });
  const leases = leasesOf(database, tables, options, () => owners.address);
  const partsOf = (taskId: string) => {
    assertTaskId(taskId);
    return { database, tables, schema, taskId, leases };
  };
  const journal = (taskId: string): JournalDriver => new PostgresJournal({ ...partsOf(taskId), copies });
  const close = async (): Promise<void> => {
    try {
      await channel.close();
      await leases.end();
    } catch (error) {
      throw toStatementError(database.label, error);
    } finally {
      await database.close();
      await copies.close();
    }
  };
  let closed: Promise<void> | undefined;
  return {
    schema,
    identity: new PostgresIdentity(database, tables),
    label: database.label,
    inbox: new PostgresInbox({ database, tables, channel, inboxLimit }),
    owners,
    pools: new PostgresPools(database, tables),
    leaseRemainingMs: () => leases.remainingMs,
    journal,
    history: postgresHistory({ ...options, database, tables, schema, leases, journal, clock }),
    objects: (taskId) => new PostgresObjects(partsOf(taskId)),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** The file for passive tasks. In a folder that is given, it is created now; if the default one takes no file, tasks stay resident. */
async function copiesIn(temporaryDir: string | undefined): Promise<TemporaryFile> {
  const copies = new TemporaryFile(temporaryDir ?? tmpdir());
  try {
    if (temporaryDir !== undefined) await copies.open();
    return copies;
  } catch (error) {
    throw new PostgresError(
      "DATABASE_OPTION",
      `Expected a folder to write to as temporaryDir, got ${JSON.stringify(temporaryDir)}. Create it, or choose another one. (${detailOf(error)})`,
      { cause: error },
    );
  }
}

/** @throws PostgresError `DATABASE_OPTION` */
function assertTaskId(taskId: string): void {
  if (isTaskId(taskId)) return;
  throw new PostgresError(
    "DATABASE_OPTION",
    `Expected a task id, got ${JSON.stringify(taskId.slice(0, 200))}. Choose another id.`,
  );
}
