import { NO_OPENING, type ReaderPosition } from "../../visualize/trace/live/position.ts";
import { ServerError } from "../error.ts";

/** The id of a server-sent event: what a client sends back as `Last-Event-ID`. */
export function formatEventId({ seq, record, growth, opening, upTo, isPlain }: ReaderPosition): string {
  return `${seq}.${record}.${growth}.${opening}.${upTo}${isPlain ? "" : "x"}`;
}

const FORM = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([0-9a-f]{8}|-)\.(-1|\d{1,15})(x?)$/;

/** @throws ServerError `POSITION_INVALID` */
export function parseEventId(text: string): ReaderPosition {
  const [, seq, record, growth, opening = NO_OPENING, upTo, mark] = FORM.exec(text) ?? [];
  if (seq === undefined)
    throw new ServerError(
      "POSITION_INVALID",
      `Expected the id of an event of this server, got ${JSON.stringify(text.slice(0, 100))}. Leave out Last-Event-ID to read the trace from its beginning.`,
    );
  return {
    seq: Number(seq),
    record: Number(record),
    growth: Number(growth),
    opening,
    upTo: Number(upTo),
    isPlain: mark === "",
  };
}
