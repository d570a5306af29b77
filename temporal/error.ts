export type TemporalErrorCode =
  /** A policy has a form, a pattern or a name that is not valid. Correct it as the message says. */
  | "POLICY_INVALID"
  /** A policy exceeds a limit. Shorten it, or raise the limit. */
  | "POLICY_LIMIT";

/** Error of a policy over time. */
export class TemporalError extends Error {
  override readonly name = "TemporalError";
  readonly code: TemporalErrorCode;

  constructor(code: TemporalErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
