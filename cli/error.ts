import { SignalboxError } from "../machines/signalbox-error.ts";

/** Exit codes: done, failed, or terminated by a signal (128 plus its number). */
export const EXIT = {
  done: 0,
  failed: 1,
  hungUp: 129,
  interrupted: 130,
  quit: 131,
  terminated: 143,
} as const;

/** An expected failure of a command. The message says what was expected, what came and what to do. */
export class CliError extends SignalboxError {
  readonly code = "CLI";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CliError";
  }
}

/** There is no key for the model that a command would use. */
export class KeyError extends CliError {}

/** Format an error for stderr. */
export const formatCliError = (message: string): string => `[CLI] Error: ${message}\n`;

/** The message of a thrown value, without a stack. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
