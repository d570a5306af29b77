import {
  applyLogEvent,
  type ClineMessage,
  emptyLog,
  type LogEvent,
  type Patch,
} from "../../machines/message/index.ts";

export type Amendment = Extract<LogEvent, { readonly type: "message.amended" }>;

/**
 * The last row of a log and whether it has text that no journal has yet (L3, L5: only the last row grows). It is what a
 * client lacks that was not told of some growth.
 */
export class LastRow {
  #row: ClineMessage | undefined;
  #isBehind = false;

  constructor(row?: ClineMessage, isBehind = false) {
    this.#row = row;
    this.#isBehind = isBehind;
  }

  copy(): LastRow {
    return new LastRow(this.#row, this.#isBehind);
  }

  take(events: readonly LogEvent[]): void {
    for (const event of events) this.#take(event);
  }

  get ts(): number | undefined {
    return this.#row?.ts;
  }

  /** The row as it stands, as one amendment. */
  get amendment(): Amendment | undefined {
    const row = this.#row;
    return row === undefined ? undefined : { type: "message.amended", ts: row.ts, patch: bodyOf(row) };
  }

  /** The same, where it has text that the journal lacks. */
  get missing(): Amendment | undefined {
    return this.#isBehind ? this.amendment : undefined;
  }

  #take(event: LogEvent): void {
    switch (event.type) {
      case "message.appended":
        this.#row = event.message;
        this.#isBehind = false;
        return;
      case "message.grown":
      case "message.amended": {
        const { row } = this.#after(event);
        if (row === undefined) return;
        this.#row = row;
        this.#isBehind = event.type === "message.grown" || row.partial === true;
        return;
      }
      case "log.replaced":
        this.#row = event.messages.at(-1);
        this.#isBehind = false;
        return;
      case "log.truncated":
        this.#row = undefined;
        this.#isBehind = false;
    }
  }

  #after(event: Extract<LogEvent, { readonly ts: number }>): { readonly row: ClineMessage | undefined } {
    if (this.#row?.ts !== event.ts) return { row: undefined };
    return { row: applyLogEvent(emptyLog.append(this.#row), event).at(-1) };
  }
}

function bodyOf({ ts: _ts, type: _type, ask: _ask, say: _say, ...body }: ClineMessage): Patch {
  return body;
}
