import type { Completion } from "../completion.ts";
import type { Choices } from "./choice-menu.ts";
import type { MenuItems } from "./menu.ts";

/** Receives the lines that a user types. */
export interface LineListener {
  /** @param isAnswer whether the line was started after the question was shown (L7) */
  line(text: string, isAnswer: boolean): void;
  interrupt(): void;
  /** Esc was pressed. Returns whether it interrupted anything. */
  escape(): boolean;
  /** Esc was pressed twice while no text was typed, and interrupted nothing. Absent: nothing happens. */
  escapeTwice?(): void;
  /** Shift+Tab was pressed. */
  shiftTab(): void;
  /** Complete the line before the cursor. Absent: Tab does nothing. */
  complete?(line: string): Promise<Completion>;
  /** The menu for the text before the cursor. Absent: none. */
  menu?(head: string): Promise<MenuItems>;
  /** Something failed that the user has to know. */
  report(problem: string): void;
  /** The input has ended. */
  end(): void;
}

/** A source of lines that shows questions. */
export interface LineSource {
  /** Whether the input has ended. */
  readonly isOver: boolean;
  /** Whether another program has the terminal, an editor or a pager. */
  readonly isAway: boolean;
  /** Show a question. The next line that is started after it is its answer. A menu shows the choices, where there is one. */
  ask(question: string, choices?: Choices): void;
  /** Withdraw the question. */
  withdraw(): void;
  close(): void;
}
