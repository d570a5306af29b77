import { printable } from "../../client/printable/printable.ts";
import type { OutputWriter } from "../show/output-writer.ts";

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

/** Output of whole lines only, so that a screen reader reads each of them once. */
export class WholeLines implements TextOutput {
  readonly #writer: OutputWriter;
  /** The incomplete line. */
  #begun = "";

  constructor(writer: OutputWriter) {
    this.#writer = writer;
  }

  get isInLine(): boolean {
    return this.#begun !== "";
  }

  write(text: string): void {
    const all = this.#begun + text;
    const end = all.lastIndexOf("\n") + 1;
    this.#begun = all.slice(end);
    this.#writer.write(all.slice(0, end));
  }

  line(text: string): void {
    this.freshLine();
    this.#writer.line(text);
  }

  freshLine(): void {
    if (this.isInLine) this.write("\n");
  }

  transient(): void {}
}

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
