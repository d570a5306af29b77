import { SignalboxError } from "../../../machines/signalbox-error.ts";

/** Reason why the debugger has no trace to show. */
export type SourceErrorCode =
  /** The server rejected a request. Follow the message, or open the printed address. */
  | "SOURCE_REFUSED"
  /** The response is not from a server of this package. Give the address of such a server. */
  | "SOURCE_ANSWER"
  /** The text is neither a trace nor a journal. Give `journal.jsonl`, NDJSON of a trace, or a JSON array of events. */
  | "SOURCE_FILE";

/** A source that the page can't read. */
export class SourceError extends SignalboxError {
  override readonly name = "SourceError";
  readonly code: SourceErrorCode;
  /** The server's own code, of a request that it rejected. */
  readonly refusal: string | undefined;

  constructor(code: SourceErrorCode, message: string, refusal?: string) {
    super(message);
    this.code = code;
    this.refusal = refusal;
  }
}
