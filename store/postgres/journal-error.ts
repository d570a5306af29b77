import { systemCode } from "../files/system-code.ts";
import { JournalError, type JournalErrorCode, lockedError } from "../journal/error.ts";
import { detailOf } from "./error.ts";

/** SQLSTATE codes whose cause is known. */
const STATES: Readonly<Record<string, readonly [JournalErrorCode, string]>> = {
  "53100": ["JOURNAL_FULL", "The disk of the database is full. Free some space, then resume."],
  "53300": [
    "JOURNAL_HANDLES",
    "The database has too many connections. Close some or raise its limit, then resume.",
  ],
  "42501": ["JOURNAL_DENIED", "The database denied a right. Grant it, then resume."],
  "25006": ["JOURNAL_DENIED", "The database is read-only. Connect to the primary, then resume."],
  "42P01": ["JOURNAL_DENIED", "A table is missing. Run `signalbox db check`, then resume."],
};
const FAILED = [
  "JOURNAL_IO",
  "The database failed, or the connection to it. Check both, then resume.",
] as const;

/** Convert an error of the driver to an error of a journal. */
export function toJournalError(path: string, error: unknown): JournalError {
  if (error instanceof JournalError) return error;
  const [code, advice] = STATES[systemCode(error)] ?? FAILED;
  return new JournalError(code, path, `${advice} (${detailOf(error)})`, { cause: error });
}

/** The owner of a task, as a message names it. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly since: Date;
  readonly leaseUntil: Date;
}

export const ownedByOther = (path: string, { pid, host, since, leaseUntil }: Owner): JournalError =>
  lockedError(
    path,
    `Expected no other owner, found process ${pid} on ${host} since ${since.toISOString()}. Close the task there or end that process, then resume; if it has died, its lease ends at ${leaseUntil.toISOString()}.`,
    { leaseUntil: leaseUntil.getTime() },
  );

export const ownedHere = (path: string): JournalError =>
  lockedError(
    path,
    `Expected no owner, found another driver of this process (${process.pid}). Close the task there, then resume.`,
  );

export const ownershipLost = (path: string): JournalError =>
  lockedError(
    path,
    "Expected to own it, but the lease ended and another process owned it in between. Close the task and open it again.",
  );

export const leaseEnded = (path: string): JournalError =>
  lockedError(
    path,
    "Expected a lease of this process, but the database did not renew it in time: another process may own the task. Check the connection, then resume.",
  );
