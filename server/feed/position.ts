import { ServerError } from "../error.ts";

/**
 * How far a client has come in a task's trace. The journal's records have numbers of their own; growth of streamed text
 * has none and is counted behind its record, within one opening of the task.
 */
export interface Position {
  /** The place of the newest event that it was told, in its own count: -1 before the first. */
  readonly place: number;
  /** The newest record: -1 before the first. */
  readonly record: number;
  /** How much growth behind that record it was told. */
  readonly growth: number;
  /** The opening in which growth is counted so; none where it comes from the journal. */
  readonly opening: string;
  /** Up to this record it was told what the journal has. */
  readonly upTo: number;
  /** Whether each of those has the record's number for its place. */
  readonly isPlain: boolean;
}

export const NO_OPENING = "-";

export const BEGINNING: Position = {
  place: -1,
  record: -1,
  growth: 0,
  opening: NO_OPENING,
  upTo: -1,
  isPlain: true,
};

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
