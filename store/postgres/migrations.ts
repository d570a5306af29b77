import { z } from "zod";
import { type Database, rowOf, type Statements } from "./database.ts";
import { PostgresError, toStatementError } from "./error.ts";
import { clusterMigration } from "./schema/cluster.ts";
import { inboxMigration } from "./schema/inbox.ts";
import { objectsMigration } from "./schema/objects.ts";
import { poolsMigration } from "./schema/pools.ts";
import { summariesWithModels, taskSummaries } from "./schema/task-summaries.ts";
import { quoteSchema } from "./schema-name.ts";
import { type Tables, tablesIn } from "./tables.ts";

/** The statements of each version of the schema, the first one at index 0. A released version never changes. */
export const MIGRATIONS: readonly ((tables: Tables) => string)[] = [
  ({ worker, task, record, torn, deleted_subtask }) => `
    CREATE TABLE ${worker} (
      id uuid PRIMARY KEY,
      description jsonb NOT NULL,
      lease_until timestamptz NOT NULL,
      dead_at timestamptz
    );
    CREATE TABLE ${task} (
      id text COLLATE "C" PRIMARY KEY,
      epoch bigint NOT NULL DEFAULT 0,
      owner uuid REFERENCES ${worker},
      owned_since timestamptz,
      generation uuid NOT NULL DEFAULT gen_random_uuid(),
      -- The number of the last row when the task was released.
      last_n bigint,
      moved_to text
    ) WITH (fillfactor = 70);
    -- A claim takes the next place by a row without content: an append of the owner before, which has that place, fails.
    -- So no row is ever deleted while its task is kept.
    CREATE TABLE ${record} (
      task text COLLATE "C" NOT NULL,
      n bigint NOT NULL,
      from_byte bigint NOT NULL,
      content bytea NOT NULL,
      written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (task, n)
    );
    CREATE TABLE ${torn} (
      task text COLLATE "C" NOT NULL,
      place text NOT NULL,
      n bigint NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (task, place, n)
    );
    CREATE TABLE ${deleted_subtask} (
      task text COLLATE "C" NOT NULL,
      subtask text COLLATE "C" NOT NULL,
      PRIMARY KEY (task, subtask)
    );`,
  taskSummaries,
  objectsMigration,
  inboxMigration,
  summariesWithModels,
  poolsMigration,
  clusterMigration,
];

/** The version that this package reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The versions before and after a migration; 0 is a schema without tables. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/**
 * Create the schema, or bring its tables to the version of this package. Each version is one transaction; concurrent calls
 * wait for each other.
 *
 * @throws PostgresError `DATABASE_NEWER`, `DATABASE_DENIED`, `DATABASE_READ_ONLY`, `DATABASE_FAILED`
 */
export async function migrate(
  database: Database,
  schema: string,
  versions: readonly ((tables: Tables) => string)[] = MIGRATIONS,
): Promise<Migrated> {
  const tables = tablesIn(schema);
  const step = (): Promise<Migrated> =>
    database.transaction(async (statements) => {
      await statements.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
        `signalbox ${schema}`,
      ]);
      await prepare(statements, schema, tables);
      const from = await versionIn(statements, tables);
      if (from > versions.length) throw newerError(database.label, schema, from);
      const next = versions[from];
      if (next === undefined) return { from, to: from };
      await statements.query(next(tables));
      await statements.query(
        `INSERT INTO ${tables.migration} (version, applied_at) VALUES ($1, clock_timestamp())`,
        [from + 1],
      );
      return { from, to: from + 1 };
    });
  try {
    const { from, to } = await step();
    for (let version = to; version < versions.length; ) version = (await step()).to;
    return { from, to: Math.max(to, versions.length) };
  } catch (error) {
    throw toStatementError(database.label, error);
  }
}

/** Create the schema and the table of versions. An existing schema needs no right to create one. */
async function prepare(statements: Statements, schema: string, { migration }: Tables): Promise<void> {
  const { rows } = await statements.query("SELECT FROM pg_namespace WHERE nspname = $1", [schema]);
  if (rows.length === 0) await statements.query(`CREATE SCHEMA ${quoteSchema(schema)}`);
  if (!(await hasVersions(statements, schema)))
    await statements.query(
      `CREATE TABLE ${migration} (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)`,
    );
}

/** Whether the schema has a table of versions. Needs no rights. */
export async function hasVersions(statements: Statements, schema: string): Promise<boolean> {
  const { rows } = await statements.query(
    `SELECT FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
      WHERE s.nspname = $1 AND c.relname = 'migration' AND c.relkind = 'r'`,
    [schema],
  );
  return rows.length > 0;
}

const VersionRow = z.object({ version: z.int() });

/** The version of a schema that has a table of versions; 0 if none was applied. */
export async function versionIn(statements: Statements, { migration }: Tables): Promise<number> {
  const found = await statements.query(`SELECT coalesce(max(version), 0) AS version FROM ${migration}`);
  return rowOf(VersionRow, found)?.version ?? 0;
}

export const newerError = (label: string, schema: string, found: number): PostgresError =>
  new PostgresError(
    "DATABASE_NEWER",
    `Database ${label}: expected schema ${schema} at version ${SCHEMA_VERSION}, found version ${found}. Use a newer signalbox.`,
  );
