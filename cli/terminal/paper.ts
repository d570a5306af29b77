import { type OutputWriter, printable } from "../show/index.ts";

/** Where a task's lines are shown. */
export type Paper = Pick<OutputWriter, "write" | "line" | "freshLine" | "passing" | "isInLine">;

/** The words of the model, which come in pieces. */
export interface Prose {
  grow(text: string): void;
  /** They have ended; others may begin. */
  end(): void;
}

/** Words as they were written. */
export const plainProse = (paper: Paper): Prose => ({
  grow: (text) => paper.write(printable(text)),
  end: () => paper.freshLine(),
});

/** Lines alone: nothing of it is ever taken back, so that it needs no escapes. */
export const lasting = (writer: OutputWriter): Paper => ({
  write: (text) => writer.write(text),
  line: (text) => writer.line(text),
  freshLine: () => writer.freshLine(),
  passing: () => {},
  get isInLine() {
    return writer.isInLine;
  },
});
