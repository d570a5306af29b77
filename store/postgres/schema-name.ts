import { PostgresError } from "./error.ts";

/** Schema of the tables unless another is chosen. */
export const DEFAULT_SCHEMA = "signalbox";

/** PostgreSQL cuts longer names. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Validate the name of a schema, and quote it. @throws PostgresError `DATABASE_OPTION` */
export function quoteSchema(schema: string): string {
  if (SCHEMA_NAME.test(schema) && !schema.startsWith("pg_")) return `"${schema}"`;
  throw new PostgresError(
    "DATABASE_OPTION",
    `Expected a schema of 1 to 63 lower-case letters, digits and "_", not starting with a digit or "pg_", got ${JSON.stringify(schema.slice(0, 200))}. Choose another name.`,
  );
}
