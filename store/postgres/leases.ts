import { systemClock } from "../../actors/protocol/edge.ts";
import type { LeaseTimes } from "../../machines/ownership/lease.machine.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OwnerAddress } from "../../ports/owners.ts";
import { WorkerLeases } from "../ownership/worker-leases.ts";
import type { Statements } from "./database.ts";
import { PostgresError } from "./error.ts";
import { leaseStatements } from "./lease-statements.ts";
import type { Tables } from "./tables.ts";

/** Options of the lease by which a process owns tasks. */
export interface LeaseOptions {
  /** Time of a lease, in ms. Default 30,000. Others can own the tasks of a process that has not renewed it for that time. */
  readonly leaseMs?: number;
  /**
   * Time before the end of a lease at which effects stop, in ms: the time to stop them, and how far the clocks of both
   * machines may drift apart in a lease. Default a fifth of `leaseMs`.
   */
  readonly marginMs?: number;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
}

const LEASE_MS = 30_000;
/** Share of a lease that is its margin. */
const MARGIN = 1 / 5;

const timesOf = ({ leaseMs = LEASE_MS, marginMs = leaseMs * MARGIN }: LeaseOptions): LeaseTimes => ({
  leaseMs,
  marginMs,
});

/** @throws PostgresError `DATABASE_OPTION` */
export function assertLeaseTimes(options: LeaseOptions): void {
  const { leaseMs, marginMs } = timesOf(options);
  if (!(Number.isFinite(leaseMs) && leaseMs > 0))
    throw new PostgresError("DATABASE_OPTION", `Expected leaseMs above 0, got ${leaseMs}. Correct it.`);
  if (!(marginMs > 0 && marginMs < leaseMs))
    throw new PostgresError(
      "DATABASE_OPTION",
      `Expected marginMs above 0 and below leaseMs (${leaseMs}), got ${marginMs}. Correct it.`,
    );
}

/** Create the leases of this process in a database. `addressOf`: where it takes requests, asked when a lease begins. */
export function leasesOf(
  statements: Statements,
  tables: Tables,
  options: LeaseOptions,
  addressOf?: () => OwnerAddress | undefined,
): WorkerLeases {
  const times = timesOf(options);
  const { clock = systemClock } = options;
  return new WorkerLeases({
    statements: leaseStatements(statements, tables, times.leaseMs, addressOf),
    clock,
    ...times,
  });
}
