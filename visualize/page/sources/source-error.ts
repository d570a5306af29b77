export type SourceErrorCode = "SOURCE_REFUSED" | "SOURCE_ANSWER" | "SOURCE_FILE";

/** Where the page can't get what it shows. The message is for people: what was asked for, and what came. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
