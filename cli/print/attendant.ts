import type { Clock } from "../../actors/index.ts";
import {
  type AnsweredBy,
  AskDispatcher,
  type AskHandlers,
  type LeftOpen,
  type OutputManager,
  PromptManager,
} from "../../client/index.ts";
import type { Task, TypedAsk } from "../../runtime/index.ts";
import type { Io } from "../io.ts";
import { type Household, isDealtWith, nobodyAnswers, type RunSettings } from "../run/index.ts";

export interface AttendantParts {
  /** The topmost task: the run ends with its completion. */
  readonly task: Task;
  readonly host: Household;
  readonly settings: Pick<RunSettings, "answers" | "exitOnError">;
  readonly stdin: Io["stdin"];
  readonly output: OutputManager;
  readonly clock: Clock;
  /** Told why the run can't go on. */
  readonly fail: (message: string) => void;
}

/** Sees to the asks of a run that prints text: by nobody, by a rule, or by whoever is at the input. */
export class Attendant {
  readonly #parts: AttendantParts;
  readonly #prompts: PromptManager | undefined;
  readonly #asks: AskDispatcher;

  constructor(parts: AttendantParts) {
    const { settings, stdin, output, clock } = parts;
    this.#parts = parts;
    // Where nobody answers, the input is not touched.
    this.#prompts =
      settings.answers === "nobody" ? undefined : new PromptManager({ input: stdin, output, clock });
    this.#asks = new AskDispatcher({
      clock,
      ...(this.#prompts !== undefined && { prompts: this.#prompts }),
      nonInteractive: settings.answers === "rule",
      heeds: (ask, { task, wasOpen }) => task !== undefined && this.#heeds(ask, task, wasOpen),
      handlers: this.#handlers(),
      onWait: (ask, afterMs) => output.line(sayWait(ask, afterMs)),
      onAutoAnswer: (ask, _, by) => output.line(sayAnswer(ask, by)),
      onLeftOpen: (ask, left) => this.#giveUp(ask, left),
    });
  }

  attach(task: Task): void {
    this.#asks.attach(task);
  }

  close(): void {
    this.#asks.close();
    this.#prompts?.close();
  }

  /** What is open from before is answered by the start of the run, and the completion by its end. */
  #heeds({ kind }: TypedAsk, asker: Task, wasOpen: boolean): boolean {
    const { task, host } = this.#parts;
    if (asker === task && (wasOpen || kind === "completion_result")) return false;
    return isDealtWith(asker, task, kind, host);
  }

  #handlers(): AskHandlers {
    const { settings, stdin } = this.#parts;
    const giveUp = (why: string) => (ask: TypedAsk) => this.#parts.fail(nobodyAnswers(ask, why));
    if (settings.exitOnError) return { api_req_failed: giveUp("--exit-on-error was given") };
    // A rule does not try again for ever, and without a terminal there may be nobody to say when to stop.
    if (settings.answers === "rule" && stdin.isTTY !== true)
      return { api_req_failed: giveUp("there is no terminal") };
    return {};
  }

  #giveUp(ask: TypedAsk, left: LeftOpen): void {
    // Whoever answered before has answered it.
    if (left.why === "refused" && left.result.code !== "ANSWER_REFUSED") return;
    this.#parts.fail(nobodyAnswers(ask, this.#whyNobody(left)));
  }

  #whyNobody(left: LeftOpen): string {
    if (left.why === "refused") return left.result.message;
    if (left.why === "limit") return `it was answered by itself ${left.limit} times in a row`;
    return this.#prompts === undefined ? "this is the print mode" : "no answer came on the input";
  }
}

/** What becomes of a question that nobody answers. */
function sayWait(ask: TypedAsk, afterMs: number): string {
  const [first] = ask.kind === "followup" ? ask.suggestions : [];
  const then = first === undefined ? "the run ends" : `it is: ${first}`;
  return `[waiting ${afterMs / 1_000} s for an answer, then ${then}]`;
}

/** What was answered in the place of a person. */
function sayAnswer(ask: TypedAsk, by: AnsweredBy): string {
  if (by !== "rule")
    return ask.kind === "completion_result" ? "[accepted: no answer came]" : "[no answer came: that is a no]";
  return ask.kind === "followup" ? `[answer] ${ask.suggestions[0] ?? ""}` : "[going on]";
}
