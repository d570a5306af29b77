import type { Readable } from "node:stream";
import { type Clock, systemClock } from "../../actors/index.ts";
import { LineSource } from "./line-source.ts";
import { type Reading, readChoice, readText, readYesNo } from "./readings.ts";

/** Where questions are written: a stream, or an `OutputManager`, which writes them behind what waits. */
export interface PromptOutput {
  write(text: string): unknown;
  /** Told where a terminal has ended the line by showing what was typed. */
  lineEnded?(): void;
}

export interface PromptManagerOptions {
  /** What is read: a terminal or not. It is read from the making of the manager until {@link PromptManager.close}. */
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: PromptOutput;
  /** Time, for deadlines. Default: the system's. */
  readonly clock?: Clock;
  /**
   * Whether lines that come before their question is shown answer it, in order: for a script that was written down
   * beforehand. Default false: they are dropped, since nobody can have meant them (L7).
   */
  readonly typeAhead?: boolean;
  /** Lines that are kept so before the input has to wait; what came with the last of them is kept too. Default 1000. */
  readonly typeAheadMaxLines?: number;
  /** Longer lines are refused. In UTF-16 units. Default 1,000,000. */
  readonly lineMaxChars?: number;
  /** Unclear answers to one question before it is given up. Default 10. */
  readonly unclearMax?: number;
}

export interface QuestionOptions<T> {
  /** What an empty line means, a deadline that passes, and an input that ends. */
  readonly default?: T;
  /** How long to wait, from when the question is shown; whoever begins to answer has as long as they like. */
  readonly timeoutMs?: number;
  /** Takes the question back. */
  readonly signal?: AbortSignal;
}

/** What a question came to. `none`: nobody answered, and there was no default. */
export type PromptReply<T> =
  | { readonly kind: "answer"; readonly value: T; readonly by: "person" | "deadline" | "end" | "unclear" }
  | { readonly kind: "none"; readonly why: "deadline" | "end" | "unclear" | "aborted" | "closed" };

interface Question {
  show(): void;
  take(line: string): void;
  hint(text: string): void;
  touched(): void;
  give(why: "end" | "closed"): void;
}

/**
 * Asks a person, one question at a time and in order. It needs no terminal; an input that ends answers what is open and
 * all that follows by its default.
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
  readonly #source: LineSource;
  readonly #isTerminal: boolean;
  readonly #aheadMax: number;
  readonly #unclearMax: number;
  readonly #questions: Question[] = [];
  readonly #ahead: string[] = [];
  #phase: "open" | "ended" | "closed" = "open";

  constructor(options: PromptManagerOptions) {
    const { input, output, clock = systemClock, typeAhead = false } = options;
    const { typeAheadMaxLines = 1000, lineMaxChars = 1_000_000, unclearMax = 10 } = options;
    this.#output = output;
    this.#clock = clock;
    this.#isTerminal = input.isTTY === true;
    this.#aheadMax = typeAhead ? typeAheadMaxLines : 0;
    this.#unclearMax = unclearMax;
    this.#source = new LineSource(
      input,
      {
        line: (text, isFirst) => this.#take(text, isFirst),
        begun: () => this.#questions[0]?.touched(),
        tooLong: (max) => this.#questions[0]?.hint(`Please say less: a line may have ${max} characters.`),
        ended: () => this.#end("ended"),
      },
      lineMaxChars,
    );
  }

  /** Yes or no. The default stands in capitals: `(y/N)`. */
  yesNo(question: string, options: QuestionOptions<boolean> = {}): Promise<PromptReply<boolean>> {
    const choice = options.default === undefined ? "y/n" : options.default ? "Y/n" : "y/N";
    return this.ask(`${question} (${choice}) `, readYesNo, options);
  }

  /** A line of words. */
  text(question: string, options: QuestionOptions<string> = {}): Promise<PromptReply<string>> {
    return this.ask(`${question} `, readText, options);
  }

  /** One of these, by its number or its words; with `isFree`, other words too. */
  choice(
    question: string,
    choices: readonly string[],
    options: QuestionOptions<string> & { readonly isFree?: boolean } = {},
  ): Promise<PromptReply<string>> {
    const lines = choices.map((choice, index) => `  ${index + 1}. ${choice}\n`);
    const shown = `${question}\n${lines.join("")}> `;
    return this.ask(shown, readChoice(choices, options.isFree === true), options);
  }

  /** Any question, with its own way to read a line. Never rejects. */
  ask<T>(
    text: string,
    read: (line: string) => Reading<T>,
    options: QuestionOptions<T> = {},
  ): Promise<PromptReply<T>> {
    return new Promise((resolve) => {
      const question = this.#question(text, read, options, resolve);
      if (options.signal?.aborted === true) return question.give("closed");
      if (this.#phase !== "open" && this.#ahead.length === 0)
        return question.give(this.#phase === "ended" ? "end" : "closed");
      this.#questions.push(question);
      if (this.#questions.length === 1) this.#show();
    });
  }

  /** Asks no more: what is open has no answer. The input is left paused. */
  close(): void {
    this.#ahead.length = 0;
    this.#source.close();
    this.#end("closed");
  }

  #question<T>(
    text: string,
    read: (line: string) => Reading<T>,
    { signal, timeoutMs, ...rest }: QuestionOptions<T>,
    resolve: (reply: PromptReply<T>) => void,
  ): Question {
    let stopTimer = (): void => undefined;
    let unclear = 0;
    const settle = (reply: PromptReply<T>): void => {
      stopTimer();
      signal?.removeEventListener("abort", abort);
      this.#leave(question);
      resolve(reply);
    };
    const fallBack = (by: "deadline" | "end" | "unclear"): void =>
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
            fallBack("deadline");
          };
          stopTimer = this.#clock.after(timeoutMs, passed);
        }
      },
      take: (line) => {
        stopTimer();
        if (line.trim() === "" && rest.default !== undefined)
          return settle({ kind: "answer", value: rest.default, by: "person" });
        const reading = read(line);
        if (reading.kind === "value") settle({ kind: "answer", value: reading.value, by: "person" });
        else question.hint(reading.hint);
      },
      hint: (hint) => {
        stopTimer();
        unclear += 1;
        if (unclear >= this.#unclearMax) return fallBack("unclear");
        this.#output.write(`${hint}\n`);
        question.show();
      },
      touched: () => stopTimer(),
      give: (why) => {
        if (signal?.aborted === true) return abort();
        return why === "end" ? fallBack("end") : settle({ kind: "none", why });
      },
    };
    signal?.addEventListener("abort", abort);
    return question;
  }

  #show(): void {
    const [question] = this.#questions;
    if (question === undefined) return;
    question.show();
    this.#feed(question);
  }

  /** Gives it the line that was kept for it, or the end of the input. */
  #feed(question: Question): void {
    const line = this.#ahead.shift();
    if (line === undefined) {
      if (this.#phase === "ended") this.#giveUp(question);
      return;
    }
    if (this.#ahead.length < this.#aheadMax) this.#source.resume();
    this.#answer(question, line);
  }

  #take(line: string, isFirst: boolean): void {
    const [question] = this.#questions;
    if (question !== undefined && this.#ahead.length === 0 && (isFirst || this.#aheadMax > 0))
      this.#answer(question, line);
    else if (this.#aheadMax > 0) this.#keep(line);
  }

  #keep(line: string): void {
    this.#ahead.push(line);
    if (this.#ahead.length >= this.#aheadMax) this.#source.pause();
  }

  #answer(question: Question, line: string): void {
    // A terminal shows what is typed; elsewhere nothing ends the question's line.
    if (this.#isTerminal) this.#output.lineEnded?.();
    else this.#output.write("\n");
    question.take(line);
    // It was not clear, and is asked again.
    if (this.#questions[0] === question) this.#feed(question);
  }

  #leave(question: Question): void {
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
    // Each gives way to the next, which has come to its end too.
    if (phase === "ended") this.#giveUp(question);
    else for (const open of this.#questions.splice(0)) open.give("closed");
  }

  #giveUp(question: Question): void {
    this.#output.write("\n");
    question.give("end");
  }
}
