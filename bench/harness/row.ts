/** One line of the table. */
export interface Row {
  /** What was measured, in a few words. */
  readonly name: string;
  readonly value: number;
  /** `x` is a ratio. */
  readonly unit: string;
  /** The value may be at most this; absent where the row is there for comparison. */
  readonly limit?: number;
  /** Whether the limit holds; true where there is none. */
  readonly ok: boolean;
  /** The figures behind the value. */
  readonly detail: string;
}

/** What a bench is told. */
export interface BenchOptions {
  /** Sizes: `full` for the figures of the page, `quick` for a look, `tiny` to see that the bench runs. */
  readonly size: Size;
}

export type Size = "full" | "quick" | "tiny";

/** A row with a limit. */
export function limited(name: string, value: number, unit: string, limit: number, detail: string): Row {
  return { name, value, unit, limit, ok: value <= limit, detail };
}

/** A row for comparison. */
export function told(name: string, value: number, unit: string, detail: string): Row {
  return { name, value, unit, ok: true, detail };
}
