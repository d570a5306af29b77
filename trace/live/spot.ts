/** Where an event is: among the journal's records, and in the count of one opening, growth included. */
export interface Mark {
  readonly record: number;
  readonly place: number;
}

export interface Spot extends Mark {
  /** How much growth behind the record it is; 0 is the record itself. */
  readonly growth: number;
}

/** Whether this one comes before that one. */
export function isBehind(
  one: Pick<Spot, "record" | "growth">,
  other: Pick<Spot, "record" | "growth">,
): boolean {
  return one.record < other.record || (one.record === other.record && one.growth < other.growth);
}
