import { type OutputWriter, printable } from "../show/index.ts";

/** Shows the lines of a task. */
export type TextOutput = Pick<OutputWriter, "write" | "line" | "freshLine" | "transient" | "isInLine">;

/** Shows the streamed text of the model. */
export interface ModelText {
  grow(text: string): void;
  /** End the text; another one may follow. */
  end(): void;
}

/** Text without formatting. */
export const plainModelText = (paper: TextOutput): ModelText => ({
  grow: (text) => paper.write(printable(text)),
  end: () => paper.freshLine(),
});

/** Output without escapes: nothing is ever erased. */
export const permanentOutput = (writer: OutputWriter): TextOutput => ({
  write: (text) => writer.write(text),
  line: (text) => writer.line(text),
  freshLine: () => writer.freshLine(),
  transient: () => {},
  get isInLine() {
    return writer.isInLine;
  },
});
