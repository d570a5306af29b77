import type { Interface, Key } from "node:readline";
import type { Io } from "../../io.ts";
import { printable } from "../../show/index.ts";
import type { Completion } from "../completion.ts";
import type { LineListener, LineSource } from "../line-input.ts";
import { isShiftTab, lineEditor } from "../line-input.ts";
import type { PromptHistory } from "../prompt-history.ts";
import type { LiveScreen } from "./screen.ts";

const PROMPT = "> ";
const NO_COMPLETION: Completion = { word: "", candidates: [] };

/**
 * The input line below the text. A question that comes while a line is typed is shown after it: a line that was
 * started before its question is no answer to it (L7).
 */
export class LivePrompt implements LineSource {
  readonly #screen: LiveScreen;
  readonly #listener: LineListener;
  readonly #readline: Interface;
  #question: string | undefined;
  #isShown = false;
  /** The key that is handled. */
  #key: Key | undefined;
  #isOver = false;

  constructor(io: Io, screen: LiveScreen, listener: LineListener, history: PromptHistory) {
    this.#screen = screen;
    this.#listener = listener;
    this.#readline = lineEditor(io, history, async (line, done) => {
      const { word, candidates } = await this.#complete(line);
      done(null, [[...candidates], word]);
      this.#notice();
    });
    this.#readline.on("line", (text) => this.#take(text));
    this.#readline.on("close", () => this.#finish());
    this.#readline.on("SIGINT", () => this.#interrupt());
    this.#readline.on("SIGCONT", () => this.#draw());
    const onKey = (_text: unknown, key: Key): void => {
      if (isShiftTab(key)) listener.shiftTab();
      this.#notice();
    };
    const beforeKey = (_text: unknown, key: Key): void => {
      this.#key = key;
    };
    io.stdin.prependListener("keypress", beforeKey);
    io.stdin.on("keypress", onKey);
    this.#readline.on("close", () => {
      io.stdin.off("keypress", beforeKey);
      io.stdin.off("keypress", onKey);
    });
    this.#draw();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  ask(question: string): void {
    this.#question = question;
    this.#isShown = false;
    this.#notice();
  }

  withdraw(): void {
    this.#question = undefined;
    // A partly typed answer is dropped with its question.
    if (this.#isShown) this.#dropLine();
    this.#isShown = false;
    this.#draw();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#readline.close();
  }

  /** Handle a key or a new question. The question is shown once no line is being typed. */
  #notice(): void {
    if (this.#isOver) return;
    if (this.#question !== undefined && this.#readline.line === "") this.#isShown = true;
    this.#draw();
  }

  #draw(): void {
    const { line, cursor } = this.#readline;
    const question = this.#isShown ? this.#question : undefined;
    this.#screen.typed({ question: question ?? PROMPT, line, cursor });
  }

  /** Complete the line, unless it changes meanwhile. The candidates are shown above it. */
  async #complete(line: string): Promise<Completion> {
    // Readline completes at Shift+Tab, too.
    if (this.#key?.shift === true || this.#listener.complete === undefined) return NO_COMPLETION;
    // What can't be listed, as a folder without permission, is not completed.
    const completion = await this.#listener.complete(line).catch(() => NO_COMPLETION);
    const { line: now, cursor } = this.#readline;
    if (this.#isOver || now.slice(0, cursor) !== line) return NO_COMPLETION;
    if (completion.candidates.length > 1) this.#screen.transient(printable(completion.candidates.join("  ")));
    return completion;
  }

  #take(text: string): void {
    const isAnswer = this.#isShown;
    if (isAnswer) {
      this.#screen.line(`${this.#question ?? ""}${text}`);
      this.#question = undefined;
      this.#isShown = false;
    }
    this.#listener.line(text, isAnswer);
    this.#notice();
  }

  #interrupt(): void {
    this.#dropLine();
    this.#notice();
    this.#listener.interrupt();
  }

  #dropLine(): void {
    this.#readline.write(null, { ctrl: true, name: "e" });
    this.#readline.write(null, { ctrl: true, name: "u" });
  }

  #finish(): void {
    if (this.#isOver) return;
    this.close();
    this.#listener.end();
  }
}
