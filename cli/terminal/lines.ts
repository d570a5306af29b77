import { createInterface, type Interface } from "node:readline";
import stringWidth from "string-width";
import type { Io } from "../io.ts";
import { type OutputWriter, printable } from "../show/index.ts";
import { lineEditor } from "./line-editor.ts";
import type { PromptHistory } from "./prompt-history.ts";

/** Who hears what a person types. */
export interface LineListener {
  /** `isAnswer`: the person began to type it after the question was shown (L7). */
  line(text: string, isAnswer: boolean): void;
  interrupt(): void;
  /** There will be no more lines. */
  end(): void;
}

/** Where lines come from, and questions go to. */
export interface Lines {
  /** Nobody can answer any more. */
  readonly isOver: boolean;
  /** Shows a question. The next line that is begun after that is its answer. */
  ask(question: string): void;
  /** Takes the question back. */
  unask(): void;
  close(): void;
}

const OWN_WORDS = "> ";

/**
 * The lines that a person types, or that a program sends. On a terminal, what the task shows waits while a line
 * is typed, so that the two never mix; and a question that comes meanwhile is shown after it: a line that was
 * begun before its question is no answer to it. No escapes are written: any terminal can show it.
 */
export class LineInput implements Lines {
  readonly #writer: OutputWriter;
  readonly #listener: LineListener;
  readonly #readline: Interface;
  #question: string | undefined;
  /** Whether the question is shown; and, on a terminal, whether words of one's own are being typed. */
  #phase: "quiet" | "asking" | "typing" = "quiet";
  /** What is on the screen of the line that is typed. */
  #echoed = "";
  /** What readline would not let go of when the line was dropped. */
  #stale = "";
  #isOver = false;

  constructor(io: Io, writer: OutputWriter, listener: LineListener, history: PromptHistory) {
    this.#writer = writer;
    this.#listener = listener;
    const isTerminal = io.stdin.isTTY === true && io.stdout.isTTY === true;
    this.#readline = isTerminal ? lineEditor(io, history) : createInterface({ input: io.stdin });
    this.#readline.on("line", (text) => this.#take(text));
    this.#readline.on("close", () => this.#finish());
    this.#readline.on("SIGINT", () => this.#interrupt());
    if (isTerminal) io.stdin.on("keypress", () => this.#notice());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  ask(question: string): void {
    this.#question = question;
    if (this.#phase === "quiet" && !this.#isOver) this.#showQuestion(question);
  }

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

  /** A key was pressed. A line of one's own that is empty again is over. */
  #notice(): void {
    const line = this.#readline.line.slice(this.#stale.length);
    if (this.#isOver || line === this.#echoed) return;
    if (this.#phase === "quiet") {
      this.#phase = "typing";
      this.#writer.hold();
      this.#writer.typed(OWN_WORDS);
    }
    this.#echo(line);
    if (this.#phase !== "typing" || line !== "") return;
    this.#writer.typed(rubOut(OWN_WORDS));
    this.#stopTyping();
  }

  /** Shows the line in place of what was shown of it. */
  #echo(line: string): void {
    let same = 0;
    while (same < line.length && line[same] === this.#echoed[same]) same += 1;
    this.#writer.typed(rubOut(printable(this.#echoed.slice(same))) + printable(line.slice(same)));
    this.#echoed = line;
  }

  #take(whole: string): void {
    const phase = this.#phase;
    const text = whole.slice(this.#stale.length);
    this.#stale = "";
    if (this.#readline.terminal && phase !== "quiet") this.#echo(text);
    this.#echoed = "";
    if (phase !== "quiet") this.#writer.typed("\n");
    if (phase === "asking") {
      this.#phase = "quiet";
      this.#question = undefined;
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
    this.#writer.typed(question);
  }

  /** Forgets what was typed so far. It stays on the screen. */
  #dropLine(): void {
    this.#echoed = "";
    if (!this.#readline.terminal) return;
    this.#readline.write(null, { ctrl: true, name: "e" });
    this.#readline.write(null, { ctrl: true, name: "u" });
    // Of a terminal that it takes for a dumb one, readline obeys no such keys.
    this.#stale = this.#readline.line;
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

/** Takes this text from the screen, without an escape. */
function rubOut(text: string): string {
  const cells = stringWidth(text);
  return "\b".repeat(cells) + " ".repeat(cells) + "\b".repeat(cells);
}
