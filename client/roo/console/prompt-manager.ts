import type { Readable } from "node:stream";
import { systemClock } from "../../../actors/protocol/edge.ts";
import type { Clock } from "../../../ports/clock.ts";
import { LineReader } from "../../line-reader.ts";
import { type ParsedLine, parseChoice, parseText, parseYesNo } from "./line-parsers.ts";

/** The output of questions: a stream, or an `OutputManager`, which writes them after queued text. */
export interface PromptOutput {
  write(text: string): unknown;
  /** Called when a terminal has ended the line by echoing the input. */
  lineEnded?(): void;
}

/** Options of a {@link PromptManager}. */
export interface PromptManagerOptions {
  /** A terminal or any other stream. It is read from construction until {@link PromptManager.close}. */
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: PromptOutput;
  /** Clock for timeouts. Default: the system's. */
  readonly clock?: Clock;
  /**
   * Whether lines that arrive before their question answer it, in order: for scripted input. Default false: they are
   * dropped, since they can't be meant as its answer (L7).
   */
  readonly typeAhead?: boolean;
  /** Lines buffered for that before the input is paused. Default 1000. */
  readonly typeAheadMaxLines?: number;
  /** Longest accepted line, in UTF-16 units. Default 1,000,000. */
  readonly lineMaxChars?: number;
  /** Unclear answers to one question until its default applies. Default 10. */
  readonly unclearMax?: number;
}

/** Options of a question. */
export interface QuestionOptions<T> {
  /** The answer for an empty line, a timeout, or the end of the input. */
  readonly default?: T;
  /** Milliseconds from when the question is shown until the first character of an answer. */
  readonly timeoutMs?: number;
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
}

/** Result of a question. `none`: no answer, and no default. */
export type PromptReply<T> =
  | { readonly kind: "answer"; readonly value: T; readonly by: "person" | "deadline" | "end" | "unclear" }
  | { readonly kind: "none"; readonly why: "deadline" | "end" | "unclear" | "aborted" | "closed" };

interface Question {
  show(): void;
  take(line: string): void;
  hint(text: string): void;
  started(): void;
  end(why: "end" | "closed"): void;
}

/**
 * Asks a person one question at a time, in order. It needs no terminal. At the end of the input all questions, present
 * and future, get their defaults.
 *
 * @example
 * ```ts
 * import { PromptManager } from "signalbox/client";
 * async function confirm(question: string): Promise<boolean> {
 *   const prompts = new PromptManager({ input: process.stdin, output: process.stdout });
 *   const reply = await prompts.yesNo(question, { default: false, timeoutMs: 60_000 });
 *   prompts.close();
 *   return reply.kind === "answer" && reply.value;
 * }
 * ```
 */
export class PromptManager {
  readonly #output: PromptOutput;
  readonly #clock: Clock;
  readonly #reader: LineReader;
  readonly #isTerminal: boolean;
  readonly #bufferedMax: number;
  readonly #unclearMax: number;
  readonly #questions: Question[] = [];
  readonly #buffered: string[] = [];
  #phase: "open" | "ended" | "closed" = "open";

  constructor(options: PromptManagerOptions) {
    const { input, output, clock = systemClock, typeAhead = false } = options;
    const { typeAheadMaxLines = 1000, lineMaxChars = 1_000_000, unclearMax = 10 } = options;
    this.#output = output;
    this.#clock = clock;
    this.#isTerminal = input.isTTY === true;
    this.#bufferedMax = typeAhead ? typeAheadMaxLines : 0;
    this.#unclearMax = unclearMax;
    this.#reader = new LineReader(
      input,
      {
        line: (text, isFirst) => this.#take(text, isFirst),
        begun: () => this.#questions[0]?.started(),
        tooLong: (max) => this.#questions[0]?.hint(`The line is too long: at most ${max} characters.`),
        ended: () => this.#end("ended"),
      },
      lineMaxChars,
    );
  }

  /** Ask yes or no. The default is shown as a capital letter: `(y/N)`. */
  yesNo(question: string, options: QuestionOptions<boolean> = {}): Promise<PromptReply<boolean>> {
    const choice = options.default === undefined ? "y/n" : options.default ? "Y/n" : "y/N";
    return this.ask(`${question} (${choice}) `, parseYesNo, options);
  }

  /** Ask for a line of text. */
  text(question: string, options: QuestionOptions<string> = {}): Promise<PromptReply<string>> {
    return this.ask(`${question} `, parseText, options);
  }

  /** Ask for one of these, by its number or its text; with `isFree`, other text too. */
  choice(
    question: string,
    choices: readonly string[],
    options: QuestionOptions<string> & { readonly isFree?: boolean } = {},
  ): Promise<PromptReply<string>> {
    const lines = choices.map((choice, index) => `  ${index + 1}. ${choice}\n`);
    const shown = `${question}\n${lines.join("")}> `;
    return this.ask(shown, parseChoice(choices, options.isFree === true), options);
  }

  /** Ask any question, with its own parser of a line. Never rejects. */
  ask<T>(
    text: string,
    parse: (line: string) => ParsedLine<T>,
    options: QuestionOptions<T> = {},
  ): Promise<PromptReply<T>> {
    return new Promise((resolve) => {
      const question = this.#question(text, parse, options, resolve);
      if (options.signal?.aborted === true) return question.end("closed");
      if (this.#phase !== "open" && this.#buffered.length === 0)
        return question.end(this.#phase === "ended" ? "end" : "closed");
      this.#questions.push(question);
      if (this.#questions.length === 1) this.#show();
    });
  }

  /** Close without answers to open questions. The input is left paused. */
  close(): void {
    this.#buffered.length = 0;
    this.#reader.close();
    this.#end("closed");
  }

  #question<T>(
    text: string,
    parse: (line: string) => ParsedLine<T>,
    { signal, timeoutMs, ...rest }: QuestionOptions<T>,
    resolve: (reply: PromptReply<T>) => void,
  ): Question {
    let stopTimer = (): void => undefined;
    let unclear = 0;
    const settle = (reply: PromptReply<T>): void => {
      stopTimer();
      signal?.removeEventListener("abort", abort);
      this.#remove(question);
      resolve(reply);
    };
    const settleByDefault = (by: "deadline" | "end" | "unclear"): void =>
      settle(
        rest.default === undefined ? { kind: "none", why: by } : { kind: "answer", value: rest.default, by },
      );
    const abort = (): void => {
      if (this.#questions[0] === question) this.#output.write("\n");
      settle({ kind: "none", why: "aborted" });
    };
    const question: Question = {
      show: () => {
        this.#output.write(text);
        if (timeoutMs !== undefined) {
          const passed = (): void => {
            this.#output.write("\n");
            settleByDefault("deadline");
          };
          stopTimer = this.#clock.after(timeoutMs, passed);
        }
      },
      take: (line) => {
        stopTimer();
        if (line.trim() === "" && rest.default !== undefined)
          return settle({ kind: "answer", value: rest.default, by: "person" });
        const parsed = parse(line);
        if (parsed.kind === "value") settle({ kind: "answer", value: parsed.value, by: "person" });
        else question.hint(parsed.hint);
      },
      hint: (hint) => {
        stopTimer();
        unclear += 1;
        if (unclear >= this.#unclearMax) return settleByDefault("unclear");
        this.#output.write(`${hint}\n`);
        question.show();
      },
      started: () => stopTimer(),
      end: (why) => {
        if (signal?.aborted === true) return abort();
        return why === "end" ? settleByDefault("end") : settle({ kind: "none", why });
      },
    };
    signal?.addEventListener("abort", abort);
    return question;
  }

  #show(): void {
    const [question] = this.#questions;
    if (question === undefined) return;
    question.show();
    this.#answerBuffered(question);
  }

  /** Answers with a buffered line, or with the default at the end of the input. */
  #answerBuffered(question: Question): void {
    const line = this.#buffered.shift();
    if (line === undefined) {
      if (this.#phase === "ended") this.#endOfInput(question);
      return;
    }
    if (this.#buffered.length < this.#bufferedMax) this.#reader.resume();
    this.#answer(question, line);
  }

  #take(line: string, isFirst: boolean): void {
    const [question] = this.#questions;
    if (question !== undefined && this.#buffered.length === 0 && (isFirst || this.#bufferedMax > 0))
      this.#answer(question, line);
    else if (this.#bufferedMax > 0) this.#buffer(line);
  }

  #buffer(line: string): void {
    this.#buffered.push(line);
    if (this.#buffered.length >= this.#bufferedMax) this.#reader.pause();
  }

  #answer(question: Question, line: string): void {
    // A terminal echoes the line end; any other input does not.
    if (this.#isTerminal) this.#output.lineEnded?.();
    else this.#output.write("\n");
    question.take(line);
    // The answer was unclear, and the question is still open.
    if (this.#questions[0] === question) this.#answerBuffered(question);
  }

  #remove(question: Question): void {
    const position = this.#questions.indexOf(question);
    if (position < 0) return;
    this.#questions.splice(position, 1);
    if (position === 0) this.#show();
  }

  #end(phase: "ended" | "closed"): void {
    if (this.#phase === "closed" || this.#phase === phase) return;
    this.#phase = phase;
    const [question] = this.#questions;
    if (question === undefined) return;
    // Each removed question shows the next one, which ends too.
    if (phase === "ended") this.#endOfInput(question);
    else for (const open of this.#questions.splice(0)) open.end("closed");
  }

  #endOfInput(question: Question): void {
    this.#output.write("\n");
    question.end("end");
  }
}
