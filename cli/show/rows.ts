import { type ClineMessage, isRequestOpen, type LogEvent } from "../../machines/message/index.ts";

/** Who shows rows. For each row: begun, then any number of the others, then ended; each piece of text once. */
export interface RowSink {
  begun(row: ClineMessage): void;
  /** `text` is what its text grew by. */
  grown(row: ClineMessage, text: string): void;
  /** Its text is another one now. */
  redrawn(row: ClineMessage): void;
  /** It is whole. An ask that is whole is open, unless it has its `closing` already. */
  ended(row: ClineMessage): void;
}

/** Follows the rows of a task that are not whole yet, so that no text is shown twice. */
export class RowFeed {
  readonly #sink: RowSink;
  readonly #open = new Map<number, ClineMessage>();

  constructor(sink: RowSink) {
    this.#sink = sink;
  }

  take({ commit }: { readonly commit: { readonly log: readonly LogEvent[] } }): void {
    for (const event of commit.log) this.#apply(event);
  }

  #apply(event: LogEvent): void {
    if (event.type === "message.appended") {
      this.#sink.begun(event.message);
      this.#follow(undefined, event.message);
      return;
    }
    if (event.type !== "message.grown" && event.type !== "message.amended") return;
    const before = this.#open.get(event.ts);
    if (before === undefined) return;
    const after =
      event.type === "message.grown"
        ? { ...before, text: (before.text ?? "") + event.text }
        : { ...before, ...event.patch };
    this.#follow(before, after);
  }

  #follow(before: ClineMessage | undefined, row: ClineMessage): void {
    const had = before?.text ?? "";
    const has = row.text ?? "";
    if (!has.startsWith(had)) this.#sink.redrawn(row);
    else if (has !== had) this.#sink.grown(row, has.slice(had.length));
    if (isWhole(row)) {
      this.#open.delete(row.ts);
      this.#sink.ended(row);
    } else this.#open.set(row.ts, row);
  }
}

/** A command's output grows until its ask is closed; a request's row waits for its cost. */
function isWhole(row: ClineMessage): boolean {
  if (row.partial === true || isRequestOpen(row)) return false;
  return row.ask !== "command_output" || row.closing !== undefined;
}
