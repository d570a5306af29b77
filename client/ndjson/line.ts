import type { JsonEvent } from "../../wire/index.ts";
import { type Change, changeOf } from "./delta.ts";

/** What is told next: an event, or a piece of a row that is not whole yet. */
export type Line = Whole | Piece;

/** An event. `isPart`: it stands for something that another event will tell whole. */
interface Whole {
  readonly event: JsonEvent;
  readonly isPart?: true;
}

/** A piece of a row that streams. As long as it isn't written, the next piece of the row can be joined to it. */
export interface Piece {
  /** What grows: the same object for every piece of one row. */
  readonly of: object;
  readonly before: string;
  readonly after: string;
  readonly change: Change;
  readonly make: (delta: string) => JsonEvent;
}

/** Two pieces as one that says the same; undefined where they are not of one row. */
export function joined(first: Piece, second: Piece): Piece | undefined {
  const { of, before } = first;
  if (of !== second.of) return undefined;
  const { after, make } = second;
  const isGrowth = first.change.kind === "growth" && second.change.kind === "growth";
  const change: Change = isGrowth
    ? { kind: "growth", delta: first.change.delta + second.change.delta }
    : changeOf(before, after);
  return { of, before, after, make, change };
}

export const isPiece = (line: Line): line is Piece => "change" in line;

export const eventOf = (line: Line): JsonEvent => (isPiece(line) ? line.make(line.change.delta) : line.event);
