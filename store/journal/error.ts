import { systemCode } from "../files/index.ts";

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
  /** The first line is whole but no header. Check that the file is a journal. */
  | "JOURNAL_RECORD";

/** A journal could not be written or read. `path` says which; the message says what to do. */
export class JournalError extends Error {
  readonly code: JournalErrorCode;
  readonly path: string;

  constructor(code: JournalErrorCode, path: string, message: string, options?: ErrorOptions) {
    super(`Journal ${path}: ${message}`, options);
    this.name = "JournalError";
    this.code = code;
    this.path = path;
  }
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [JournalErrorCode, string]>> = {
  ENOSPC: ["JOURNAL_FULL", "The disk is full. Free some space, then go on."],
  EDQUOT: ["JOURNAL_FULL", "The disk quota is used up. Free some space, then go on."],
  EFBIG: ["JOURNAL_FULL", "The file has reached the largest size allowed. Raise the limit, then go on."],
  EACCES: ["JOURNAL_DENIED", "It may not be written or read. Give this user the right to, then go on."],
  EPERM: ["JOURNAL_DENIED", "It may not be written or read. Give this user the right to, then go on."],
  EROFS: ["JOURNAL_DENIED", "The disk is read-only. Mount it for writing, then go on."],
  EMFILE: [
    "JOURNAL_HANDLES",
    "This process has too many open files. Raise its limit or close some, then go on.",
  ],
  ENFILE: ["JOURNAL_HANDLES", "The system has too many open files. Close some, then go on."],
};
const OTHER: readonly [JournalErrorCode, string] = [
  "JOURNAL_IO",
  "Reading or writing failed. Check the disk and that the folder is there, then go on.",
];

/** What the system said, in the words of a journal. An error that is one already stays as it is. */
export function toJournalError(path: string, error: unknown): JournalError {
  if (error instanceof JournalError) return error;
  const [code, advice] = SYSTEM_ERRORS[systemCode(error)] ?? OTHER;
  const said = error instanceof Error ? error.message : String(error);
  return new JournalError(code, path, `${advice} (${said})`, { cause: error });
}

export const changedError = (path: string, expected: string, found: number): JournalError =>
  new JournalError(
    "JOURNAL_CHANGED",
    path,
    `Expected ${expected} bytes, found ${found}: something else wrote to it. Close the task and open it again.`,
  );

export const lockedError = (path: string, problem: string): JournalError =>
  new JournalError("JOURNAL_LOCKED", path, problem);

export const existsError = (path: string): JournalError =>
  new JournalError(
    "JOURNAL_EXISTS",
    path,
    "It has records of a task already. Open that task, or create one with another id.",
  );

export const closedError = (path: string): JournalError =>
  new JournalError("JOURNAL_CLOSED", path, "It was closed. Open the task again to write to it.");
