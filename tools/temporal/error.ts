import { SignalboxError } from "../../machines/signalbox-error.ts";

export type TemporalErrorCode =
  /** A policy has a form, a pattern or a name that is not valid. Correct it as the message says. */
  | "POLICY_INVALID"
  /** A policy exceeds a limit. Shorten it, or raise the limit. */
  | "POLICY_LIMIT"
  /** Clauses contradict each other or themselves: no task can follow them. Correct or remove one that the message names. */
  | "POLICY_CONTRADICTION"
  /** The earlier events can't be read from the journals. Restore the journal that the message names. */
  | "POLICY_HISTORY";

/** Error of a policy over time. */
export class TemporalError extends SignalboxError {
  override readonly name = "TemporalError";
  readonly code: TemporalErrorCode;

  constructor(code: TemporalErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
