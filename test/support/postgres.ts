import { hasPostgres } from "../../bench/harness/cluster.ts";
import type { LeaseStatements, WorkerLease } from "../../ports/ownership.ts";

export { Cluster, hasPostgres } from "../../bench/harness/cluster.ts";

// The tests that need it say that they are skipped.
if (!hasPostgres) console.warn("The tests of journals in PostgreSQL are skipped. No initdb was found.");

/** A lease that nobody has to renew while a test runs. */
export function longLease(statements: LeaseStatements): WorkerLease {
  const worker = statements.register();
  worker.catch(() => undefined);
  return {
    worker,
    lost: new AbortController().signal,
    end: async () => statements.end(await worker),
  };
}

/** The time of such a lease, in ms. */
export const LONG_LEASE_MS = 3_600_000;
