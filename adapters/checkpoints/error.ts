import { systemCode } from "../../store/files/system-code.ts";

/** Reason why a checkpoint cannot be saved, compared or restored. */
export type CheckpointErrorCode =
  /** The workspace has more than `maxFiles` files. Raise the limit, or ignore files. */
  | "files"
  /** The workspace has more than `maxTotalBytes`. Raise the limit, or ignore files. */
  | "bytes"
  /** The checkpoint store has more than `maxStoreBytes`. Remove it, or raise the limit. */
  | "store"
  /** The operation took longer than `timeoutMs`. Raise the limit. */
  | "time"
  /** The signal aborted the operation. Run it again. */
  | "stopped"
  /** The workspace has no such checkpoint. List the checkpoints. */
  | "unknown"
  /** Files changed in the meantime, so nothing was restored. Look at the new diff. */
  | "changed"
  /** The task's objects could not be written or read, or lack a checkpoint; see `reason`. Check their storage. */
  | "objects"
  /** Git failed; see `reason`. Check the installed git. */
  | "git"
  /** The file system failed; see `reason`. Check the disk and the permissions. */
  | "disk";

/** Result of an operation that failed, with the reason as text for a person. */
export interface CheckpointFailure {
  readonly ok: false;
  readonly code: CheckpointErrorCode;
  readonly reason: string;
}

/** Thrown inside this folder only: callers get its {@link CheckpointFailure}. */
export class CheckpointError extends Error {
  override readonly name = "CheckpointError";
  readonly failure: CheckpointFailure;

  constructor(code: CheckpointErrorCode, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.failure = { ok: false, code, reason };
  }
}

/** The advice where a limit is reached. */
export const RAISE_LIMIT = "Exclude files with .gitignore, or raise the limit.";

export const changedError = (when: string): CheckpointError =>
  new CheckpointError("changed", `files changed ${when}, so nothing was restored. Try again.`);

/** The failure of an error. Rethrows defects: errors that are not from the system or this folder. */
export function failureOf(error: unknown): CheckpointFailure {
  if (error instanceof CheckpointError) return error.failure;
  if (!(error instanceof Error) || systemCode(error) === "") throw error;
  const reason = `a file could not be read or written (${error.message}). Check the disk and the permissions.`;
  return { ok: false, code: "disk", reason };
}
