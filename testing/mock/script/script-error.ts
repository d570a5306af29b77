import { SignalboxError } from "../../../machines/signalbox-error.ts";

/** A mock script is not valid. For each of the first problems, the message has file, line, column and what was expected. */
export class ScriptError extends SignalboxError {
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

/** A position in a script; line and column count from 1. */
export interface ScriptPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
