import { RowText } from "../../client/index.ts";
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
  readonly #open = new Map<number, Open>();

  constructor(sink: RowSink) {
    this.#sink = sink;
  }

  take({ commit }: { readonly commit: { readonly log: readonly LogEvent[] } }): void {
    for (const event of commit.log) this.#apply(event);
  }

  #apply(event: LogEvent): void {
    if (event.type === "message.appended") {
      this.#sink.begun(event.message);
      this.#amend({ row: event.message, text: new RowText() });
      return;
    }
    if (event.type !== "message.grown" && event.type !== "message.amended") return;
    const open = this.#open.get(event.ts);
    if (open === undefined) return;
    const { row, text } = open;
    if (event.type === "message.amended") this.#amend({ row: { ...row, ...event.patch }, text });
    else {
      text.grow(event.text);
      this.#show({ row: { ...row, text: text.text }, text });
    }
  }

  #amend(open: Open): void {
    const { row, text } = open;
    const isEmptied = text.text !== "" && (row.text ?? "") === "";
    text.set(row.text ?? "");
    if (isEmptied) this.#sink.redrawn(row);
    this.#show(open);
  }

  #show(open: Open): void {
    const { row } = open;
    const { text, isAnew } = open.text.take();
    if (isAnew) this.#sink.redrawn(row);
    else if (text !== "") this.#sink.grown(row, text);
    if (isWhole(row)) {
      this.#open.delete(row.ts);
      this.#sink.ended(row);
    } else this.#open.set(row.ts, open);
  }
}

/** A row that is not whole yet, and how much of its text has been shown. */
interface Open {
  readonly row: ClineMessage;
  readonly text: RowText;
}

/** A command's output grows until its ask is closed; a request's row waits for its cost. */
function isWhole(row: ClineMessage): boolean {
  if (row.partial === true || isRequestOpen(row)) return false;
  return row.ask !== "command_output" || row.closing !== undefined;
}
