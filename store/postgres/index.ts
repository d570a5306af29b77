/** Journals of tasks in PostgreSQL (docs/guide/postgres.md). Needs the package `pg`. */
export type { PostgresConnection } from "./database.ts";
export { PostgresError } from "./error.ts";
export { openPostgres, type PostgresOptions, type PostgresStore } from "./store.ts";
