import { createInterface, type Interface, type Key } from "node:readline";
import { Writable } from "node:stream";
import stringWidth from "string-width";
import type { Io } from "../io.ts";
import { type OutputWriter, printable } from "../show/index.ts";
import type { Completion } from "./completion.ts";
import type { PromptHistory } from "./prompt-history.ts";

/** Receives the lines that a user types. */
export interface LineListener {
  /** @param isAnswer whether the line was started after the question was shown (L7) */
  line(text: string, isAnswer: boolean): void;
  interrupt(): void;
  /** Esc was pressed. */
  escape(): void;
  /** Shift+Tab was pressed. */
  shiftTab(): void;
  /** Complete the line before the cursor. Absent: Tab does nothing. */
  complete?(line: string): Promise<Completion>;
  /** Something failed that the user has to know. */
  report(problem: string): void;
  /** The input has ended. */
  end(): void;
}

/** A source of lines that shows questions. */
export interface LineSource {
  /** Whether the input has ended. */
  readonly isOver: boolean;
  /** Show a question. The next line that is started after it is its answer. */
  ask(question: string): void;
  /** Withdraw the question. */
  withdraw(): void;
  close(): void;
}

const PROMPT = "> ";

/**
 * Lines from a user or a program. On a terminal, output of the task waits while a line is typed, so that the two never
 * mix, and a question that comes meanwhile is shown after the line: a line that was started before its question is no
 * answer to it. No escapes are written, so that any terminal can show it.
 */
export class LineInput implements LineSource {
  readonly #writer: OutputWriter;
  readonly #listener: LineListener;
  readonly #readline: Interface;
  #question: string | undefined;
  /** `asking`: the question is shown. `typing`, on a terminal: a line without a question is being typed. */
  #phase: "quiet" | "asking" | "typing" = "quiet";
  /** The part of the typed line that is on the screen. */
  #echoed = "";
  /** Text that readline kept when the line was dropped. */
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
    if (!isTerminal) return;
    const onKey = (_text: unknown, key: Key): void => {
      if (isShiftTab(key)) listener.shiftTab();
      if (key.name === "escape") listener.escape();
      this.#notice();
    };
    io.stdin.on("keypress", onKey);
    this.#readline.on("close", () => io.stdin.off("keypress", onKey));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  ask(question: string): void {
    this.#question = question;
    if (this.#phase === "quiet" && !this.#isOver) this.#showQuestion(question);
  }

  withdraw(): void {
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

  /** Handle a key. A line without a question that is empty again has ended. */
  #notice(): void {
    const line = this.#readline.line.slice(this.#stale.length);
    if (this.#isOver || line === this.#echoed) return;
    if (this.#phase === "quiet") {
      this.#phase = "typing";
      this.#writer.hold();
      this.#writer.typed(PROMPT);
    }
    this.#echo(line);
    if (this.#phase !== "typing" || line !== "") return;
    this.#writer.typed(rubOut(PROMPT));
    this.#stopTyping();
  }

  /** Replace the shown part of the line. */
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

  /** Drop the typed text. It stays on the screen. */
  #dropLine(): void {
    this.#echoed = "";
    if (!this.#readline.terminal) return;
    this.#readline.write(null, { ctrl: true, name: "e" });
    this.#readline.write(null, { ctrl: true, name: "u" });
    // On a dumb terminal, readline ignores these keys.
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

/** The characters that erase a text from the screen without an escape. */
function rubOut(text: string): string {
  const cells = stringWidth(text);
  return "\b".repeat(cells) + " ".repeat(cells) + "\b".repeat(cells);
}

export const isShiftTab = ({ name, shift }: Key): boolean => name === "tab" && shift === true;

/** Create an editor of one line with history. It shows nothing itself. */
function lineEditor(io: Io, history: PromptHistory): Interface {
  const editor = createInterface({
    input: io.stdin,
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: true,
    history: history.newestFirst(),
    historySize: history.size,
    removeHistoryDuplicates: true,
  });
  editor.on("history", (lines) => {
    const [newest] = lines;
    if (newest !== undefined && !history.add(newest)) lines.shift();
  });
  return editor;
}
