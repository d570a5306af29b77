/** The unit of a limit. A share is a part of the context window, above 1 for none; a share of one is above 0 and at most 1. */
export type LimitUnit = "count" | "bytes" | "characters" | "ms" | "US dollars" | "share" | "share of one";

export interface Limit {
  readonly default: number;
  readonly unit: LimitUnit;
  /** The smallest value. Default 0. */
  readonly min?: number;
}

/** Limits by name: their type, defaults, schema and documentation derive from it. */
export type LimitTable = Readonly<Record<string, Limit>>;

/** The values of the limits in a table. */
export type LimitValues<T extends LimitTable> = { readonly [K in keyof T]: number };

/** The values that count where none are given. */
export const defaultsOf = <T extends LimitTable>(table: T): LimitValues<T> =>
  Object.fromEntries(Object.entries(table).map(([name, limit]) => [name, limit.default])) as LimitValues<T>;
