import { SignalboxError } from "../../machines/signalbox-error.ts";
import { systemCode } from "../files/system-code.ts";

/** Reason why a journal cannot be written or read. */
export type JournalErrorCode =
  /** The disk, a quota, or a file size limit is used up. Free space, then resume. */
  | "JOURNAL_FULL"
  /** The file or its folder may not be read or written. Fix its permissions, then resume. */
  | "JOURNAL_DENIED"
  /** Too many files are open. Raise the limit or close some, then resume. */
  | "JOURNAL_HANDLES"
  /** The disk failed, or the folder cannot be used. Check both, then resume. */
  | "JOURNAL_IO"
  /** Another program wrote to the file. Close the task and open it again. */
  | "JOURNAL_CHANGED"
  /** Another driver or process owns the journal. Close the task there or end that process, then resume. */
  | "JOURNAL_LOCKED"
  /** The task was closed. Open it again. */
  | "JOURNAL_CLOSED"
  /** The journal already has records of a task. Open that task, or choose another id. */
  | "JOURNAL_EXISTS"
  /** More than `maxBacklog` commits wait for the disk. Check that the disk keeps up. */
  | "JOURNAL_BACKLOG"
  /** A later version of the package wrote the journal. Use that version. */
  | "JOURNAL_VERSION"
  /** The first line is valid but not a header. Check that the file is a journal. */
  | "JOURNAL_RECORD";

/** Failure to write or read the journal at `path`. */
export class JournalError extends SignalboxError {
  readonly code: JournalErrorCode;
  readonly path: string;
  /** With `JOURNAL_LOCKED`: when the lease of the owner ends unless it is renewed, in ms since 1970, if it has one. */
  readonly leaseUntil?: number;

  constructor(
    code: JournalErrorCode,
    path: string,
    message: string,
    { leaseUntil, ...options }: ErrorOptions & { readonly leaseUntil?: number } = {},
  ) {
    super(`Journal ${path}: ${message}`, options);
    this.name = "JournalError";
    this.code = code;
    this.path = path;
    if (leaseUntil !== undefined) this.leaseUntil = leaseUntil;
  }
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [JournalErrorCode, string]>> = {
  ENOSPC: ["JOURNAL_FULL", "The disk is full. Free some space, then resume."],
  EDQUOT: ["JOURNAL_FULL", "The disk quota is used up. Free some space, then resume."],
  EFBIG: ["JOURNAL_FULL", "The file has reached the maximum size. Raise the limit, then resume."],
  EACCES: ["JOURNAL_DENIED", "Permission denied. Fix the permissions of the file or folder, then resume."],
  EPERM: ["JOURNAL_DENIED", "Permission denied. Fix the permissions of the file or folder, then resume."],
  EROFS: ["JOURNAL_DENIED", "The file system is read-only. Mount it writable, then resume."],
  EMFILE: [
    "JOURNAL_HANDLES",
    "This process has too many open files. Raise its limit or close some, then resume.",
  ],
  ENFILE: ["JOURNAL_HANDLES", "The system has too many open files. Close some, then resume."],
};
const IO_ERROR: readonly [JournalErrorCode, string] = [
  "JOURNAL_IO",
  "Reading or writing failed. Check the disk and that the folder exists, then resume.",
];

/** Convert a system error to a journal error; a journal error stays as it is. */
export function toJournalError(path: string, error: unknown): JournalError {
  if (error instanceof JournalError) return error;
  const [code, advice] = SYSTEM_ERRORS[systemCode(error)] ?? IO_ERROR;
  const detail = error instanceof Error ? error.message : String(error);
  return new JournalError(code, path, `${advice} (${detail})`, { cause: error });
}

export const changedError = (path: string, expected: string, found: number): JournalError =>
  new JournalError(
    "JOURNAL_CHANGED",
    path,
    `Expected ${expected} bytes, found ${found}: another program wrote to it. Close the task and open it again.`,
  );

export const lockedError = (
  path: string,
  problem: string,
  lease: { readonly leaseUntil?: number } = {},
): JournalError => new JournalError("JOURNAL_LOCKED", path, problem, lease);

export const existsError = (path: string): JournalError =>
  new JournalError(
    "JOURNAL_EXISTS",
    path,
    "Expected an empty journal, found records of a task. Open that task, or choose another id.",
  );

export const closedError = (path: string): JournalError =>
  new JournalError("JOURNAL_CLOSED", path, "The journal is closed. Open the task again.");
