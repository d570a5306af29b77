import { hasPostgres } from "../../bench/harness/cluster.ts";

export { Cluster, hasPostgres } from "../../bench/harness/cluster.ts";

// The tests that need it say that they are skipped.
if (!hasPostgres) console.warn("The tests of journals in PostgreSQL are skipped. No initdb was found.");

/** Time of a lease that is not renewed while a test runs, in ms. */
export const LONG_LEASE_MS = 3_600_000;
