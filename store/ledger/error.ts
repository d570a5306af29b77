import { SignalboxError } from "../../machines/signalbox-error.ts";
import { systemCode } from "../files/system-code.ts";

/** Reason why a ledger cannot be read or written. */
export type LedgerErrorCode =
  /** The workspace has no ledger. Create the folder `.orchestration` before the task starts, or check the workspace. */
  | "LEDGER_MISSING"
  /** Another process holds the lock of the ledger. End it, or remove the lock that the message names. */
  | "LEDGER_LOCKED"
  /**
   * The changes of a command could not be found, and are not in the ledger. Raise the limit of checkpoints, or ignore files.
   */
  | "LEDGER_COMMAND"
  /** The ledger cannot be read or written. Check the folder, its permissions and the disk. */
  | "LEDGER_IO"
  /** The file has no such line. Check the path and the number. */
  | "LEDGER_LINE";

/** A ledger cannot be read or written. */
export class LedgerError extends SignalboxError {
  readonly code: LedgerErrorCode;
  constructor(code: LedgerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LedgerError";
    this.code = code;
  }
}

/** Convert a system error to a ledger error; any other error stays as it is. */
export function toLedgerError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || systemCode(error) === "" || error.name !== "Error") return error;
  return new LedgerError(
    "LEDGER_IO",
    `${path} cannot be read or written (${error.message}). Check the folder, its permissions and the disk.`,
    { cause: error },
  );
}
