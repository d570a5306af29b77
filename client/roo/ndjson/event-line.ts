import type { JsonEvent } from "../../../wire/ndjson/event.ts";
import { changeOf, type TextChange } from "../../text-change.ts";

/** A line of output: an event, or a delta of a streaming message. */
export type Line = EventLine | DeltaLine;

interface EventLine {
  readonly event: JsonEvent;
  /** A later event has its content. */
  readonly isPart?: true;
  /** The event in place of this one where no deltas came before it: it has their text. */
  readonly whole?: JsonEvent;
}

/** A delta of a streaming message. While it is queued, the next delta of the message is merged into it. */
export interface DeltaLine {
  /** The identity of the message: the same object for each of its deltas. */
  readonly of: object;
  readonly before: string;
  readonly after: string;
  readonly change: TextChange;
  readonly make: (delta: string) => JsonEvent;
}

/** Merge two deltas of one message; undefined for deltas of different messages. */
export function mergeDeltas(first: DeltaLine, second: DeltaLine): DeltaLine | undefined {
  const { of, before } = first;
  if (of !== second.of) return undefined;
  const { after, make } = second;
  const isGrowth = first.change.kind === "growth" && second.change.kind === "growth";
  const change: TextChange = isGrowth
    ? { kind: "growth", delta: first.change.delta + second.change.delta }
    : changeOf(before, after);
  return { of, before, after, make, change };
}

export const isDelta = (line: Line): line is DeltaLine => "change" in line;

export const eventOf = (line: Line): JsonEvent => (isDelta(line) ? line.make(line.change.delta) : line.event);
