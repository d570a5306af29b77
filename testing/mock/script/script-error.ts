/**
 * A script that cannot be used. The message names the file, the line, the column, what was expected and
 * what came, for each of the first problems.
 */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
  /** A mock script is not valid. Correct each place that the message names. */
  readonly code = "SCRIPT_INVALID";
  /** Where the first problem is. */
  readonly place: ScriptPlace;

  constructor(message: string, place: ScriptPlace, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }
}

/** A place in a script; line and column count from 1. */
export interface ScriptPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
