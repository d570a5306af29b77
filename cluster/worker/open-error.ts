import { systemCode } from "../../store/files/system-code.ts";

/** Time after which a task that met an outage of the database is woken again, in ms. */
export const OUTAGE_MS = 2_000;

/** Errors that say nothing about a task, and the times after which it is woken again, in ms. */
const AGAIN_MS: Readonly<Record<string, number>> = {
  DATABASE_FAILED: OUTAGE_MS,
  JOURNAL_FULL: OUTAGE_MS,
  JOURNAL_HANDLES: OUTAGE_MS,
  JOURNAL_IO: OUTAGE_MS,
  // A worker of a later version can read it.
  JOURNAL_VERSION: 10_000,
};

/** The time after which a task is woken again that can't be opened, in ms. Undefined: the wake failed. */
export const againAfter = (error: unknown): number | undefined => AGAIN_MS[systemCode(error)];

/** The end of the lease of the worker that owns the task. */
export function lockedUntil(error: unknown): number | undefined {
  if (!(error instanceof Error && "leaseUntil" in error)) return undefined;
  return typeof error.leaseUntil === "number" ? error.leaseUntil : undefined;
}
