import { type ClineMessage, isRequestOpen, type LogEvent } from "../../machines/message/index.ts";
import type { RowEvents } from "./row-events.ts";

/** Follows a task's log event by event, so that the cost of a piece does not grow with its row (L17). */
export class TaskRows {
  readonly #rows: RowEvents;
  readonly #onRow: (row: ClineMessage) => void;
  /** The rows that may change. */
  readonly #open = new Map<number, ClineMessage>();

  /** @param onRow told of each row that is whole, after it was told to `rows` */
  constructor(rows: RowEvents, onRow: (row: ClineMessage) => void) {
    this.#rows = rows;
    this.#onRow = onRow;
  }

  apply(event: LogEvent): void {
    switch (event.type) {
      case "message.appended":
        this.see(event.message);
        break;
      case "message.grown":
        this.#grow(event.ts, event.text);
        break;
      case "message.amended": {
        const before = this.#open.get(event.ts);
        if (before !== undefined) this.see({ ...before, ...event.patch });
        break;
      }
      default:
        // Rows that are gone were told; those of another log are none of this task's doing.
        this.#open.clear();
    }
  }

  /** A row as it is now. */
  see(row: ClineMessage): void {
    if (mayChange(row)) this.#open.set(row.ts, row);
    else this.#open.delete(row.ts);
    this.#rows.row(row);
    if (row.partial !== true) this.#onRow(row);
  }

  #grow(ts: number, suffix: string): void {
    const before = this.#open.get(ts);
    if (before === undefined) return;
    const row = { ...before, text: (before.text ?? "") + suffix };
    this.#open.set(ts, row);
    if (!this.#rows.grown(ts, suffix, row)) this.#rows.row(row);
  }
}

const mayChange = (row: ClineMessage): boolean =>
  row.partial === true || isRequestOpen(row) || (row.ask === "command_output" && row.closing === undefined);
