import { tmpdir } from "node:os";
import { Pool } from "pg";
import type { JournalDriver } from "../../../ports/journal.ts";
import type { TaskObjects } from "../../../ports/objects.ts";
import type { Leases } from "../../../ports/ownership.ts";
import { TemporaryFile } from "../../../store/files/temporary-file.ts";
import { Database, type PostgresConnection } from "../../../store/postgres/database.ts";
import { PostgresJournal } from "../../../store/postgres/journal.ts";
import { leaseStatements } from "../../../store/postgres/lease-statements.ts";
import { leasesOf } from "../../../store/postgres/leases.ts";
import { migrate } from "../../../store/postgres/migrations.ts";
import { PostgresObjects } from "../../../store/postgres/objects.ts";
import { openPostgres, type PostgresStore } from "../../../store/postgres/store.ts";
import { tablesIn } from "../../../store/postgres/tables.ts";
import { Cluster, LONG_LEASE_MS } from "../../support/postgres.ts";

/** A server with the tables of the package, and a connection to look at them. */
export class PostgresRig {
  readonly cluster: Cluster;
  readonly admin: Pool;
  readonly #stores: PostgresStore[] = [];
  readonly #copies = new TemporaryFile(tmpdir());
  #tasks = 0;

  readonly #database: Database;

  private constructor(cluster: Cluster, database: Database) {
    this.cluster = cluster;
    this.#database = database;
    this.admin = new Pool({ connectionString: cluster.url(), max: 2 });
    // A test stops the server.
    this.admin.on("error", () => {});
  }

  static async start(): Promise<PostgresRig> {
    const cluster = await Cluster.start();
    const database = await Database.open({ url: cluster.url() });
    await migrate(database, "signalbox");
    return new PostgresRig(cluster, database);
  }

  /** Open a store, which is another worker. */
  async store(
    connection?: PostgresConnection,
    url = this.cluster.url(),
    leaseMs = LONG_LEASE_MS,
  ): Promise<PostgresStore> {
    const options = { url, leaseMs };
    const store = await openPostgres({ ...options, ...(connection !== undefined && { connection }) });
    this.#stores.push(store);
    return store;
  }

  /** A driver of another worker, on connections that such drivers share. */
  journalOfNewWorker(taskId: string): JournalDriver {
    return this.journalOf(
      taskId,
      leasesOf(this.#database, tablesIn("signalbox"), { leaseMs: LONG_LEASE_MS }),
    );
  }

  /** A driver with these leases. */
  journalOf(taskId: string, leases: Leases, copies = this.#copies): JournalDriver {
    const place = { database: this.#database, tables: tablesIn("signalbox"), schema: "signalbox" };
    return new PostgresJournal({ ...place, taskId, leases, copies });
  }

  /** The objects and the journal of a task for another worker, on the same connections. */
  objectsOfNewWorker(taskId: string): { readonly objects: TaskObjects; readonly driver: JournalDriver } {
    const tables = tablesIn("signalbox");
    const leases = leasesOf(this.#database, tables, { leaseMs: LONG_LEASE_MS });
    const place = { database: this.#database, tables, schema: "signalbox", taskId, leases };
    return { objects: new PostgresObjects(place), driver: new PostgresJournal(place) };
  }

  /** Register a worker with a long lease. */
  register(): Promise<string> {
    return leaseStatements(this.#database, tablesIn("signalbox"), LONG_LEASE_MS).register();
  }

  newTask(): string {
    this.#tasks += 1;
    return `task-${this.#tasks}`;
  }

  /** Put content into a journal that has none, a row a line. */
  async fill(task: string, content: Uint8Array): Promise<void> {
    const bytes = Buffer.from(content);
    // A deleted task keeps its last place.
    const { rows } = await this.admin.query<{ next: string | null }>(
      "SELECT max(n) + 1 AS next FROM signalbox.record WHERE task = $1",
      [task],
    );
    let [n, from] = [Number(rows[0]?.next ?? 0), 0];
    await this.admin.query("INSERT INTO signalbox.task (id) VALUES ($1)", [task]);
    while (from < bytes.length) {
      const end = bytes.indexOf("\n", from);
      const to = end === -1 ? bytes.length : end + 1;
      await this.admin.query("INSERT INTO signalbox.record VALUES ($1, $2, $3, $4)", [
        task,
        n,
        from,
        bytes.subarray(from, to),
      ]);
      n += 1;
      from = to;
    }
    await this.admin.query("UPDATE signalbox.task SET last_n = $2 WHERE id = $1", [task, n - 1]);
  }

  /** Remove all tasks. */
  async clear(): Promise<void> {
    await this.admin.query(
      "DELETE FROM signalbox.deleted_subtask; DELETE FROM signalbox.record; DELETE FROM signalbox.task",
    );
  }

  /** End the lease of a task's owner. */
  async expire(task: string): Promise<void> {
    await this.admin.query(
      `UPDATE signalbox.worker SET lease_until = clock_timestamp() - interval '1 second'
        WHERE id = (SELECT owner FROM signalbox.task WHERE id = $1)`,
      [task],
    );
  }

  /** Whether the lease of a task's owner has not ended. */
  async hasLease(task: string): Promise<boolean> {
    const { rows } = await this.admin.query(
      `SELECT FROM signalbox.task t JOIN signalbox.worker w ON w.id = t.owner
        WHERE t.id = $1 AND w.dead_at IS NULL AND w.lease_until > clock_timestamp()`,
      [task],
    );
    return rows.length > 0;
  }

  async backup(location: string): Promise<Uint8Array> {
    const [, task, place] = /\/([^/]+?)\.(torn-.*)$/.exec(location) ?? [];
    const { rows } = await this.admin.query<{ content: Buffer }>(
      "SELECT content FROM signalbox.torn WHERE task = $1 AND place = $2 ORDER BY n",
      [task, place],
    );
    return Buffer.concat(rows.map(({ content }) => content));
  }

  /** The task of a driver. */
  taskOf({ path }: JournalDriver): string {
    return path.slice(path.lastIndexOf("/") + 1);
  }

  async remove(): Promise<void> {
    await Promise.allSettled(this.#stores.map((store) => store.close()));
    await this.#database.close();
    await this.#copies.close();
    await this.admin.end();
    await this.cluster.remove();
  }
}
