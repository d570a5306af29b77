import { SignalboxError } from "../../machines/signalbox-error.ts";

type RunErrorCode =
  /** A setting has a form that is not valid. Correct the file that the message names. */
  | "SETTING_INVALID"
  /** A judge of a protocol threw, or returned no verdict that its point takes. Correct it as the message says. */
  | "PROTOCOL_FAILED"
  /** A model of a run or an audit failed, and the run has no row. Run again: finished runs have their rows. */
  | "MODEL_FAILED"
  /** The folders of a run can't be copied after its prefix. Run the setting without a prefix, or the policy in a sandbox. */
  | "PREFIX_FAILED"
  /** A file has rows of other runs, with another seed or other inputs. Name a new file. */
  | "ROWS_DIFFER"
  /** A file has the row of a run, and the folder of logs lacks its log. Name a new file. */
  | "LOG_MISSING"
  /** A line of a file is no row of a run. Name another file, or remove the line. */
  | "ROW_INVALID";

/** Error of a setting, or of the file of runs. */
export class RunError extends SignalboxError {
  override readonly name = "RunError";
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
