import stringWidth from "string-width";
import { printable } from "../../client/printable/printable.ts";
import type { OutputWriter } from "../show/output-writer.ts";
import { NO_QUESTION, type PromptScreen, type TypedLine } from "./input/prompt-screen.ts";

/**
 * The input on a terminal without escapes, so that any terminal and any screen reader can show it. Output of the task
 * waits while a line is typed, so that the two never mix. The line ends of a text of several lines are shown as `↵`.
 */
export class PlainScreen implements PromptScreen {
  readonly #writer: OutputWriter;
  /** The input that is on the screen. */
  #shown: { readonly question: string | undefined; readonly text: string } | undefined;

  constructor(writer: OutputWriter) {
    this.#writer = writer;
  }

  typed({ question, line }: TypedLine): void {
    if (this.#shown !== undefined && this.#shown.question !== question) this.#leave(this.#shown);
    if (question === undefined && line === "") this.#erase();
    else this.#echo(question, printable(line).replaceAll("\t", "  ").replaceAll("\n", "↵"));
  }

  /** The line is on the screen already. */
  taken(): void {
    this.#endLine();
  }

  transient(): void {}

  pause(): void {
    this.#endLine();
    this.#writer.hold();
  }

  resume(): void {
    this.#writer.release();
  }

  /** Replace the shown part of the line. */
  #echo(question: string | undefined, text: string): void {
    if (this.#shown === undefined) {
      this.#writer.hold();
      this.#writer.typed(question ?? NO_QUESTION);
    }
    const shown = this.#shown?.text ?? "";
    let same = 0;
    while (same < text.length && text[same] === shown[same]) same += 1;
    this.#writer.typed(rubOut(shown.slice(same)) + text.slice(same));
    this.#shown = { question, text };
  }

  /** A question stays on the screen. */
  #leave({ question }: { readonly question: string | undefined }): void {
    if (question === undefined) this.#erase();
    else this.#endLine();
  }

  #erase(): void {
    if (this.#shown === undefined) return;
    this.#writer.typed(rubOut(NO_QUESTION + this.#shown.text));
    this.#shown = undefined;
    this.#writer.release();
  }

  #endLine(): void {
    if (this.#shown === undefined) return;
    this.#writer.typed("\n");
    this.#shown = undefined;
    this.#writer.release();
  }
}

/** The characters that erase a text from the screen without an escape. */
function rubOut(text: string): string {
  const cells = stringWidth(text);
  return "\b".repeat(cells) + " ".repeat(cells) + "\b".repeat(cells);
}
