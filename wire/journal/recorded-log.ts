import {
  type ClineMessage,
  type Log,
  type LogEvent,
  type Patch,
  positionOf,
} from "../../machines/message/index.ts";

/**
 * The log events that go into the journal (L11). Growth and the previews of a partial message are left out; the
 * amendment that follows them carries the whole message, so that folding the records gives the log.
 */
export class RecordedLog {
  /** Messages whose full text is not in the journal. At most the last message is one (L3, L5). */
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
        return this.#amendment(event, messageAt(log, event.ts));
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
    message: ClineMessage | undefined,
  ): LogEvent | undefined {
    if (message?.partial === true) {
      this.#behind.add(event.ts);
      return undefined;
    }
    if (message === undefined || !this.#behind.delete(event.ts)) return event;
    return { type: "message.amended", ts: event.ts, patch: patchOf(message) };
  }
}

function messageAt(log: Log, ts: number): ClineMessage | undefined {
  const position = positionOf(log, ts);
  return position < 0 ? undefined : log.at(position);
}

/** The fields of a message that an amendment may change, as a patch. */
export function patchOf({ ts: _ts, type: _type, ask: _ask, say: _say, ...patch }: ClineMessage): Patch {
  return patch;
}
