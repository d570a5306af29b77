import type { Command } from "commander";
import type { Io } from "../io.ts";

/** The call of a command. */
export interface Invocation {
  readonly io: Io;
  /** The words after the name of the program. */
  readonly args: readonly string[];
  /** Writes to stdout. */
  readonly print: (text: string) => void;
  /** Sets the exit code. Without it: 0. */
  readonly end: (code: number) => void;
}

/** Adds the arguments, the options and the action of a command. */
export type Define = (command: Command, invocation: Invocation) => void;
