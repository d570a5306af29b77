import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { Io } from "../io.ts";
import type { OutputWriter } from "../show/index.ts";

/** Who hears what a person types. */
export interface LineListener {
  /** `isAnswer`: the person began to type it after the question was shown (L7). */
  line(text: string, isAnswer: boolean): void;
  interrupt(): void;
  /** There will be no more lines. */
  end(): void;
}

const OWN_WORDS = "> ";

/**
 * The lines that a person types, or that a program sends. On a terminal, what the task shows waits while a line
 * is typed, so that the two never mix; and a question that comes meanwhile is shown after it: a line that was
 * begun before its question is no answer to it.
 */
export class LineInput {
  readonly #writer: OutputWriter;
  readonly #listener: LineListener;
  readonly #readline: Interface;
  #question: string | undefined;
  /** Whether the question is shown; and, on a terminal, whether words of one's own are being typed. */
  #phase: "quiet" | "asking" | "typing" = "quiet";
  #isMute = false;
  #isOver = false;

  constructor(io: Io, writer: OutputWriter, listener: LineListener) {
    this.#writer = writer;
    this.#listener = listener;
    const isTerminal = io.stdin.isTTY === true && io.stdout.isTTY === true;
    const echo = isTerminal ? this.#echo(io) : undefined;
    this.#readline = createInterface({
      input: io.stdin,
      ...(echo !== undefined && { output: echo }),
      terminal: isTerminal,
      prompt: OWN_WORDS,
    });
    this.#readline.on("line", (text) => this.#take(text));
    this.#readline.on("close", () => this.#finish());
    this.#readline.on("SIGINT", () => this.#interrupt());
    if (isTerminal) io.stdin.on("keypress", () => this.#notice());
  }

  /** Nobody can answer any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Shows a question. The next line that is begun after that is its answer. */
  ask(question: string): void {
    this.#question = question;
    if (this.#phase === "quiet" && !this.#isOver) this.#showQuestion(question);
  }

  /** Takes the question back. */
  unask(): void {
    this.#question = undefined;
    if (this.#phase !== "asking") return;
    this.#dropLine();
    this.#phase = "quiet";
    this.#writer.typed("\n");
    this.#writer.release();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#phase !== "quiet") {
      this.#writer.typed("\n");
      this.#writer.release();
    }
    this.#readline.close();
  }

  /** What readline shows of the line that is typed. */
  #echo(io: Io): Writable {
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        this.#show(String(chunk));
        done();
      },
    });
    Object.defineProperty(echo, "columns", { get: () => io.stdout.columns });
    io.stdout.on("resize", () => echo.emit("resize"));
    return echo;
  }

  #show(text: string): void {
    if (this.#isOver || this.#isMute) return;
    if (this.#phase === "quiet") {
      // The end of an empty line, and a cursor that moves in one, are nothing to show.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are moved by them
      if (/^(\r\n|\x1b\[[0-9;]*[A-Z])*$/.test(text)) return;
      this.#phase = "typing";
      this.#writer.hold();
      this.#writer.typed(OWN_WORDS);
    }
    this.#writer.typed(text);
  }

  /** A key was pressed: a line of one's own that is empty again is over. */
  #notice(): void {
    if (this.#phase === "typing" && this.#readline.line === "") {
      this.#writer.typed("\r\x1b[K");
      this.#stopTyping();
    }
  }

  #take(text: string): void {
    const phase = this.#phase;
    if (phase === "asking") {
      this.#phase = "quiet";
      this.#question = undefined;
      this.#readline.setPrompt(OWN_WORDS);
      if (!this.#readline.terminal) this.#writer.typed("\n");
      this.#writer.release();
    }
    this.#listener.line(text, phase === "asking");
    if (phase === "typing") this.#stopTyping();
  }

  #stopTyping(): void {
    this.#phase = "quiet";
    this.#writer.release();
    if (this.#question !== undefined) this.#showQuestion(this.#question);
  }

  #showQuestion(question: string): void {
    this.#phase = "asking";
    this.#writer.hold();
    if (this.#readline.terminal) {
      this.#readline.setPrompt(question);
      this.#readline.prompt();
    } else this.#writer.typed(question);
  }

  /** Forgets what was typed so far. It stays on the screen. */
  #dropLine(): void {
    this.#readline.setPrompt(OWN_WORDS);
    if (!this.#readline.terminal) return;
    this.#isMute = true;
    this.#readline.write(null, { ctrl: true, name: "e" });
    this.#readline.write(null, { ctrl: true, name: "u" });
    this.#isMute = false;
  }

  #interrupt(): void {
    if (this.#phase === "typing") {
      this.#dropLine();
      this.#writer.typed("\n");
      this.#stopTyping();
    }
    this.#listener.interrupt();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.close();
    this.#listener.end();
  }
}
