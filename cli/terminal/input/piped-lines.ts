import { createInterface, type Interface } from "node:readline";
import type { Io } from "../../io.ts";
import type { OutputWriter } from "../../show/output-writer.ts";
import type { LineListener, LineSource } from "./line-source.ts";

/** Lines of a program or a file. Output of the task waits while a question is shown. */
export class PipedLines implements LineSource {
  readonly isAway = false;
  readonly #writer: OutputWriter;
  readonly #listener: LineListener;
  readonly #readline: Interface;
  #isAsking = false;
  #isOver = false;

  constructor(io: Io, writer: OutputWriter, listener: LineListener) {
    this.#writer = writer;
    this.#listener = listener;
    this.#readline = createInterface({ input: io.stdin });
    this.#readline.on("line", (text) => this.#take(text));
    this.#readline.on("close", () => this.#finish());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  ask(question: string): void {
    if (this.#isAsking || this.#isOver) return;
    this.#isAsking = true;
    this.#writer.hold();
    this.#writer.typed(question);
  }

  withdraw(): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    this.#writer.typed("\n");
    this.#writer.release();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.withdraw();
    this.#readline.close();
  }

  #take(text: string): void {
    const isAnswer = this.#isAsking;
    this.withdraw();
    this.#listener.line(text, isAnswer);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.close();
    this.#listener.end();
  }
}
