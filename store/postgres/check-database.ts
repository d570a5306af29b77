import { z } from "zod";
import { type Database, rowOf } from "./database.ts";
import { PostgresError, readOnlyProblem, toStatementError } from "./error.ts";
import { hasVersions, newerError, SCHEMA_VERSION, versionIn } from "./migrations.ts";
import { FUNCTION_NAMES, TABLE_NAMES, tablesIn } from "./tables.ts";

const ServerRow = z.object({
  in_recovery: z.boolean(),
  read_only: z.boolean(),
  fsync: z.string(),
  synchronous_commit: z.string(),
});

const RightRow = z.object({ missing: z.string() });

/** The rights that are used, for each table. */
const RIGHTS = ["SELECT", "INSERT", "UPDATE", "DELETE"];

/**
 * Check that a database can be written, is durable, and has the tables of this version with the rights to use them.
 * Takes no lock and writes nothing.
 *
 * @throws PostgresError `DATABASE_READ_ONLY`, `DATABASE_NOT_DURABLE`, `DATABASE_EMPTY`, `DATABASE_DENIED`,
 *   `DATABASE_OLDER`, `DATABASE_NEWER`, `DATABASE_FAILED`
 */
export async function checkDatabase(database: Database, schema: string): Promise<void> {
  const tables = tablesIn(schema);
  try {
    await checkServer(database);
    if (!(await hasVersions(database, schema)))
      throw new PostgresError(
        "DATABASE_EMPTY",
        `Database ${database.label}: expected the tables of signalbox in schema ${schema}, found none. Run \`signalbox db migrate\`, or correct the schema.`,
      );
    await checkRights(database, schema, ["migration"], ["SELECT"]);
    const version = await versionIn(database, tables);
    if (version > SCHEMA_VERSION) throw newerError(database.label, schema, version);
    if (version < SCHEMA_VERSION)
      throw new PostgresError(
        "DATABASE_OLDER",
        `Database ${database.label}: expected schema ${schema} at version ${SCHEMA_VERSION}, found version ${version}. Run \`signalbox db migrate\`.`,
      );
    await checkRights(
      database,
      schema,
      TABLE_NAMES.filter((name) => name !== "migration"),
      RIGHTS,
    );
  } catch (error) {
    throw toStatementError(database.label, error);
  }
}

async function checkServer(database: Database): Promise<void> {
  const found = await database.query(
    `SELECT pg_is_in_recovery() AS in_recovery, current_setting('transaction_read_only') = 'on' AS read_only,
      current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit`,
  );
  const server = rowOf(ServerRow, found);
  if (server?.in_recovery !== false || server.read_only)
    throw new PostgresError("DATABASE_READ_ONLY", readOnlyProblem(database.label));
  const off = (["fsync", "synchronous_commit"] as const).filter((name) => server[name] === "off");
  if (off.length > 0)
    throw new PostgresError(
      "DATABASE_NOT_DURABLE",
      `Database ${database.label}: expected commits to be durable, found ${off.join(" and ")} off. Turn on ${off.join(" and ")}.`,
    );
}

async function checkRights(
  database: Database,
  schema: string,
  names: readonly string[],
  rights: readonly string[],
): Promise<void> {
  const { rows } = await database.query(
    `SELECT 'USAGE on schema ' || nspname AS missing FROM pg_namespace
      WHERE nspname = $1 AND NOT has_schema_privilege(oid, 'USAGE')
    UNION ALL
    SELECT r || ' on table ' || c.relname FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace, unnest($3::text[]) AS r
      WHERE s.nspname = $1 AND c.relname = ANY ($2::text[]) AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, r)
    UNION ALL
    SELECT 'EXECUTE on function ' || p.proname FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace
      WHERE s.nspname = $1 AND p.proname = ANY ($4::text[]) AND NOT has_function_privilege(p.oid, 'EXECUTE')`,
    [schema, [...names], [...rights], [...FUNCTION_NAMES]],
  );
  if (rows.length === 0) return;
  const missing = rows.map((row) => RightRow.parse(row).missing).join(", ");
  throw new PostgresError(
    "DATABASE_DENIED",
    `Database ${database.label}: expected all rights in schema ${schema}, found these missing: ${missing}. Grant them.`,
  );
}
