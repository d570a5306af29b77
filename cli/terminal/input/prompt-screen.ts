import type { MenuRows } from "./menu.ts";

/** Stands before text that answers no question. */
export const NO_QUESTION = "> ";

/** The input, after the question that it answers. It may have several lines. */
export interface TypedLine {
  readonly question: string | undefined;
  readonly line: string;
  /** Position of the cursor, in characters of the text. */
  readonly cursor: number;
  /** The items that can be typed. */
  readonly menu?: MenuRows;
}

/** The part of a screen that shows the input. */
export interface PromptScreen {
  /** Show the input as it is now. */
  typed(line: TypedLine): void;
  /** The input was taken, as the answer to the question. */
  taken(question: string | undefined, line: string): void;
  /** Show a line that the next text replaces. */
  transient(text: string): void;
  /** Leave the terminal to another program. What is written in the meantime is shown after it. */
  pause(): void;
  resume(): void;
}
