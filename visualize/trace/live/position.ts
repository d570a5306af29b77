/** The numbers of an event: its record's in the journal, and its own in one opening, growth included. */
export interface EventIndex {
  readonly record: number;
  readonly seq: number;
}

export interface EventPosition extends EventIndex {
  /** How many growth events come between the record and this event; 0 is the record itself. */
  readonly growth: number;
}

/**
 * The position of a reader in a task's trace. The journal's records are numbered; growth of streamed text is not
 * recorded and is counted after its record, within one opening of the task.
 */
export interface ReaderPosition {
  /** The `seq` of the newest event that the reader has, in its own sequence: -1 before the first. */
  readonly seq: number;
  /** The newest record: -1 before the first. */
  readonly record: number;
  /** How many growth events after that record the reader has. */
  readonly growth: number;
  /** The opening in which growth is counted; {@link NO_OPENING} for what comes from the journal. */
  readonly opening: string;
  /** Up to this record the reader has read the journal. */
  readonly upTo: number;
  /** Whether each of those events has the record's number as its `seq`. */
  readonly isPlain: boolean;
}

export const NO_OPENING = "-";

export const BEGINNING: ReaderPosition = {
  seq: -1,
  record: -1,
  growth: 0,
  opening: NO_OPENING,
  upTo: -1,
  isPlain: true,
};

export function isBefore(
  one: Pick<EventPosition, "record" | "growth">,
  other: Pick<EventPosition, "record" | "growth">,
): boolean {
  return one.record < other.record || (one.record === other.record && one.growth < other.growth);
}
