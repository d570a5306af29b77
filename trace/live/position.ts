/**
 * How far a reader has come in a task's trace. The journal's records have numbers of their own; growth of streamed text
 * has none and is counted behind its record, within one opening of the task.
 */
export interface Position {
  /** The place of the newest event that it was told, in its own count: -1 before the first. */
  readonly place: number;
  /** The newest record: -1 before the first. */
  readonly record: number;
  /** How much growth behind that record it was told. */
  readonly growth: number;
  /** The opening in which growth is counted so; {@link NO_OPENING} where it comes from the journal. */
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
