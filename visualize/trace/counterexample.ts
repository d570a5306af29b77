/** A violation of a law that an exploration or a simulation found. Its trace is the path to it. */
export interface Counterexample {
  /** The id of the law: `L8`. */
  readonly law: string;
  /** The law, in one clause. */
  readonly title: string;
  /** The violation, in one clause. */
  readonly what: string;
  /** The event whose processing breaks the law, as text. */
  readonly event: string;
  /** The event of the trace that breaks the law. Absent: its processing left no record, and comes after the trace. */
  readonly seq?: number;
  /** The source of a test that fails until the fault is fixed. */
  readonly test?: string;
}
