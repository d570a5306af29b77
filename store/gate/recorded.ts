import {
  type ClineMessage,
  type Log,
  type LogEvent,
  type Patch,
  positionOf,
} from "../../machines/message/index.ts";

/**
 * Which log events go into the journal (L11): growth and the previews of a row that stays partial don't; the
 * amendment that comes after them carries the row as it then stands, so that folding the records gives the log.
 */
export class RecordedLog {
  /** Rows whose text the journal doesn't have in full. At most the last row is one (L3, L5). */
  readonly #behind = new Set<number>();

  /** The recorded form of a macrostep's log events. `log` is the log after it. */
  record(events: readonly LogEvent[], log: Log): readonly LogEvent[] {
    let recorded: LogEvent[] | undefined;
    for (const [index, event] of events.entries()) {
      const form = this.#form(event, log);
      if (form !== event) recorded ??= events.slice(0, index);
      if (recorded !== undefined && form !== undefined) recorded.push(form);
    }
    return recorded ?? events;
  }

  #form(event: LogEvent, log: Log): LogEvent | undefined {
    switch (event.type) {
      case "message.grown":
        this.#behind.add(event.ts);
        return undefined;
      case "message.amended":
        return this.#amendment(event, rowOf(log, event.ts));
      case "log.truncated":
      case "log.replaced":
        this.#behind.clear();
        return event;
      case "message.appended":
        return event;
    }
  }

  #amendment(
    event: Extract<LogEvent, { type: "message.amended" }>,
    row: ClineMessage | undefined,
  ): LogEvent | undefined {
    if (row?.partial === true) {
      this.#behind.add(event.ts);
      return undefined;
    }
    if (row === undefined || !this.#behind.delete(event.ts)) return event;
    return { type: "message.amended", ts: event.ts, patch: bodyOf(row) };
  }
}

function rowOf(log: Log, ts: number): ClineMessage | undefined {
  const position = positionOf(log, ts);
  return position < 0 ? undefined : log.at(position);
}

/** All of a row that an amendment may change. */
function bodyOf({ ts: _ts, type: _type, ask: _ask, say: _say, ...body }: ClineMessage): Patch {
  return body;
}
