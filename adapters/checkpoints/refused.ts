import { systemCode } from "../../store/files/index.ts";

/** Reason why a checkpoint cannot be saved, compared or restored. */
export type RefusedCode =
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
  /** Files changed meanwhile, so nothing was restored. Look at the new diff. */
  | "changed"
  /** Git failed; see `reason`. Check the installed git. */
  | "git"
  /** The file system failed; see `reason`. Check the disk and the permissions. */
  | "disk";

/** What could not be done, with the reason in words for a person. */
export interface Refused {
  readonly ok: false;
  readonly code: RefusedCode;
  readonly reason: string;
}

/** Leads out of the middle of a checkpoint. It never leaves this folder: the doors give a {@link Refused}. */
export class Refusal extends Error {
  readonly refused: Refused;

  constructor(code: RefusedCode, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "Refusal";
    this.refused = { ok: false, code, reason };
  }
}

/** What was thrown, as a value. What is no failure of the system is a defect, and goes on as it is. */
export function refusedBy(error: unknown): Refused {
  if (error instanceof Refusal) return error.refused;
  if (!(error instanceof Error) || systemCode(error) === "") throw error;
  return {
    ok: false,
    code: "disk",
    reason: `a file could not be read or written (${error.message}). Check the disk and the rights.`,
  };
}
