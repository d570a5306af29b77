import { type AnsweredBy, AskDispatcher, type LeftOpen } from "../../client/roo/console/ask-dispatcher.ts";
import type { AskHandlers } from "../../client/roo/console/ask-handlers.ts";
import type { OutputManager } from "../../client/roo/console/output-manager.ts";
import { PromptManager } from "../../client/roo/console/prompt-manager.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { Io } from "../io.ts";
import { waitMs } from "../run/followup.ts";
import type { RunSettings, TaskSettings } from "../run/settings.ts";
import { isHandledHere, type RunHost } from "../run/subtasks.ts";
import { formatUnanswered } from "../run/unanswered.ts";

/** The settings that answer the asks of a run that prints text. */
export interface AskSettings extends Pick<RunSettings, "answers" | "exitOnError"> {
  readonly task: Pick<TaskSettings, "expiry">;
}

export interface PrintAsksOptions {
  /** The root task: the run ends with its completion. */
  readonly task: Task;
  readonly host: RunHost;
  readonly settings: AskSettings;
  readonly stdin: Io["stdin"];
  readonly output: OutputManager;
  readonly clock: Clock;
  /** Called with the reason why the run can't continue. */
  readonly fail: (message: string) => void;
}

/** Answers the asks of a run that prints text: nobody, a rule, or the user on stdin. */
export class PrintAsks {
  readonly #options: PrintAsksOptions;
  readonly #prompts: PromptManager | undefined;
  readonly #asks: AskDispatcher;

  constructor(options: PrintAsksOptions) {
    const { settings, stdin, output, clock } = options;
    this.#options = options;
    // Where nobody answers, stdin is not touched.
    this.#prompts =
      settings.answers === "nobody" ? undefined : new PromptManager({ input: stdin, output, clock });
    this.#asks = new AskDispatcher({
      clock,
      ...(this.#prompts !== undefined && { prompts: this.#prompts }),
      nonInteractive: settings.answers === "rule",
      filter: (ask, { task, wasOpen }) => task !== undefined && this.#isHandled(ask, task, wasOpen),
      handlers: this.#handlers(),
      onWait: (ask, afterMs) => output.line(formatWait(ask, afterMs)),
      onAutoAnswer: (ask, _, by) => output.line(formatAutoAnswer(ask, by)),
      onLeftOpen: (ask, left) => this.#fail(ask, left),
    });
  }

  attach(task: Task): void {
    this.#asks.attach(task);
  }

  close(): void {
    this.#asks.close();
    this.#prompts?.close();
  }

  /** An ask that was open before is answered by the start of the run, and the completion by its end. */
  #isHandled({ kind }: Ask, asker: Task, wasOpen: boolean): boolean {
    const { task, host } = this.#options;
    if (asker === task && (wasOpen || kind === "completion")) return false;
    return isHandledHere(asker, task, kind, host);
  }

  #handlers(): AskHandlers {
    const { settings, stdin } = this.#options;
    const fail = (why: string) => (ask: Ask) => this.#options.fail(formatUnanswered(ask, why));
    if (settings.exitOnError) return { failure: fail("--exit-on-error was given") };
    // A rule must not retry without end, and without a terminal there may be nobody to stop it.
    if (settings.answers === "rule" && stdin.isTTY !== true) return { failure: fail("there is no terminal") };
    return {};
  }

  #fail(ask: Ask, left: LeftOpen): void {
    // It was answered elsewhere.
    if (left.why === "refused" && left.result.code !== "ANSWER_REFUSED") return;
    const afterMs = waitMs(ask, this.#options.settings.task);
    if (afterMs === undefined) this.#options.fail(formatUnanswered(ask, this.#reasonOf(left)));
    else this.#options.output.line(formatWait(ask, afterMs));
  }

  #reasonOf(left: LeftOpen): string {
    if (left.why === "refused") return left.result.message;
    if (left.why === "limit") return `it was answered automatically ${left.limit} times in a row`;
    return this.#prompts === undefined ? "this is print mode" : "no answer came on stdin";
  }
}

/** Format what happens to a question that nobody answers. */
function formatWait(ask: Ask, afterMs: number): string {
  const [first] = ask.kind === "question" ? ask.suggestions : [];
  const then = first === undefined ? "the run ends" : `the answer is: ${first.answer}`;
  return `[waiting ${afterMs / 1_000} s for an answer, then ${then}]`;
}

/** Format an automatic answer. */
function formatAutoAnswer(ask: Ask, by: AnsweredBy): string {
  if (by !== "rule") return ask.kind === "completion" ? "[accepted: no answer]" : "[rejected: no answer]";
  return ask.kind === "question" ? `[answer] ${ask.suggestions[0]?.answer ?? ""}` : "[continuing]";
}
