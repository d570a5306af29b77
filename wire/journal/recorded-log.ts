import { type Log, type LogEvent, positionOf } from "../../machines/message/log.ts";
import type { ClineMessage, Patch } from "../../machines/message/message.ts";

/**
 * Selects the log events that the journal records (L11). Growth and previews of a partial message are left out. The
 * amendment that follows them contains the whole message, so folding the records gives the log.
 */
export class RecordedLog {
  /** Messages whose full text is not in the journal. At most the last message is one (L3, L5). */
  readonly #incomplete = new Set<number>();

  /** Return the recorded form of a macrostep's log events. `log` is the log after it. */
  record(events: readonly LogEvent[], log: Log): readonly LogEvent[] {
    let recorded: LogEvent[] | undefined;
    for (const [index, event] of events.entries()) {
      const recordedEvent = this.#recordedForm(event, log);
      if (recordedEvent !== event) recorded ??= events.slice(0, index);
      if (recorded !== undefined && recordedEvent !== undefined) recorded.push(recordedEvent);
    }
    return recorded ?? events;
  }

  #recordedForm(event: LogEvent, log: Log): LogEvent | undefined {
    switch (event.type) {
      case "message.grown":
        this.#incomplete.add(event.ts);
        return undefined;
      case "message.amended":
        return this.#amendment(event, messageAt(log, event.ts));
      case "log.truncated":
      case "log.replaced":
        this.#incomplete.clear();
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
      this.#incomplete.add(event.ts);
      return undefined;
    }
    if (message === undefined || !this.#incomplete.delete(event.ts)) return event;
    return { type: "message.amended", ts: event.ts, patch: patchOf(message) };
  }
}

function messageAt(log: Log, ts: number): ClineMessage | undefined {
  const position = positionOf(log, ts);
  return position < 0 ? undefined : log.at(position);
}

/** Create a patch with all fields of a message that an amendment may change. */
export function patchOf({ ts: _ts, type: _type, ask: _ask, say: _say, ...patch }: ClineMessage): Patch {
  return patch;
}
