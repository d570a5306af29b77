/** What the command can't do for its user. The message says what was expected, what came and what to do. */
export class CliError extends Error {
  readonly code = "CLI";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CliError";
  }
}

/** The form in which every error of the command is told, on stderr. */
export const sayCliError = (message: string): string => `[CLI] Error: ${message}\n`;

/** What was thrown, in words. A stack says nothing to a user. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
