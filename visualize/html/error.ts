/** `PAGE_NOT_BUILT`: the files that the page is made of are not there. */
export type TracePageErrorCode = "PAGE_NOT_BUILT";

/** A page can't be written. The message says what was looked for, and what to do. */
export class TracePageError extends Error {
  override readonly name = "TracePageError";
  readonly code: TracePageErrorCode;

  constructor(code: TracePageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
