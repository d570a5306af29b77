/** A line of the input that is no command. The message begins with `stdin command line N: `. */
export class StdinCommandError extends Error {
  /** A line of the input is not a command. Correct the line that the message names. */
  readonly code = "STDIN_COMMAND";
  /** The number of the line, from 1 on. */
  readonly line: number;
  constructor(line: number, problem: string, options?: ErrorOptions) {
    super(`stdin command line ${line}: ${problem}`, options);
    this.name = "StdinCommandError";
    this.line = line;
  }
}
