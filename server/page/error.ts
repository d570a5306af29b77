/** Reason why the debugger page cannot be written. */
export type TracePageErrorCode =
  /** The files of the page are missing. Run `npm run build`. */
  "PAGE_NOT_BUILT";

/** A page that can't be made. */
export class TracePageError extends Error {
  override readonly name = "TracePageError";
  readonly code: TracePageErrorCode;

  constructor(code: TracePageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
