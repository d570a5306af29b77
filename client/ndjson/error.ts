/** Why no more events can be written: the reader has gone away, or is too far behind. */
export type JsonStreamErrorCode = "OUTPUT_CLOSED" | "OUTPUT_FULL";

/** The output of events has ended before its time. */
export class JsonStreamError extends Error {
  readonly code: JsonStreamErrorCode;
  constructor(code: JsonStreamErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "JsonStreamError";
    this.code = code;
  }
}
