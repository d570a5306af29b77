import { NO_OPENING, type Position } from "../../trace/index.ts";
import { ServerError } from "../error.ts";

/** What a client sends back as `Last-Event-ID`. */
export function sayPosition({ place, record, growth, opening, upTo, isPlain }: Position): string {
  return `${place}.${record}.${growth}.${opening}.${upTo}${isPlain ? "" : "x"}`;
}

const FORM = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([0-9a-f]{8}|-)\.(-1|\d{1,15})(x?)$/;

/** @throws ServerError `POSITION_INVALID` */
export function readPosition(text: string): Position {
  const [, place, record, growth, opening = NO_OPENING, upTo, mark] = FORM.exec(text) ?? [];
  if (place === undefined)
    throw new ServerError(
      "POSITION_INVALID",
      `${JSON.stringify(text.slice(0, 100))} is no place in a trace: expected the id of an event that this server told. Leave it out to be told all from the first event on.`,
    );
  return {
    place: Number(place),
    record: Number(record),
    growth: Number(growth),
    opening,
    upTo: Number(upTo),
    isPlain: mark === "",
  };
}
