import { type Clock, systemClock } from "../../actors/index.ts";
import { OutputManager, openedAt } from "../../client/index.ts";
import type { Task } from "../../runtime/index.ts";
import { sayCliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import {
  completedIn,
  type Household,
  type Leave,
  numberOf,
  type RunSettings,
  subtasksOf,
} from "../run/index.ts";
import { Attendant } from "./attendant.ts";
import { PrintForm } from "./print-form.ts";

/** What a run that prints text goes by. */
export type PrintSettings = Pick<RunSettings, "prompt" | "answers" | "exitOnError">;

/**
 * Runs a task and prints what it does as text, for a log, a pipe or whoever looks on. Its end is the task's completion,
 * or an ask that nobody answers.
 */
export class Printer {
  readonly #task: Task;
  readonly #prompt: string | undefined;
  readonly #leave: Leave;
  readonly #form = new PrintForm();
  readonly #output: OutputManager;
  readonly #attendant: Attendant;
  readonly #isResumed: boolean;
  readonly #ends: (() => void)[] = [];
  #isOver = false;

  constructor(
    task: Task,
    host: Household,
    settings: PrintSettings,
    io: Io,
    leave: Leave,
    clock: Clock = systemClock,
  ) {
    this.#task = task;
    this.#prompt = settings.prompt;
    this.#leave = leave;
    this.#isResumed = task.log.length > 0;
    const { stdin, stdout, stderr } = io;
    this.#output = new OutputManager({
      stdout,
      stderr,
      form: this.#form.of,
      onError: () => this.#output.isGone && this.#end(EXIT.failed),
    });
    this.#attendant = new Attendant({
      ...{ task, host, settings, stdin, clock },
      output: this.#output,
      fail: (message) => this.#fail(message),
    });
    this.#follow(task);
    subtasksOf(task, host).subscribe((opened) => this.#followSubtask(opened));
  }

  start(): void {
    const ask = this.#isResumed ? this.#task.asks.at(-1) : undefined;
    if (ask?.kind === "resume_task" && this.#prompt === undefined) {
      ask.resume();
      return;
    }
    // How it ends is told by its asks; that it was closed before, by whoever closed it.
    this.#task.run(this.#prompt ?? "").catch(() => undefined);
  }

  interrupt(): void {
    this.#end(EXIT.interrupted);
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#output.close();
  }

  #followSubtask(task: Task): void {
    if (this.#isOver) return;
    this.#output.line(`[subtask ${numberOf(task)}] ${task.snapshot.context.mode}`);
    this.#follow(task);
  }

  #follow(task: Task): void {
    this.#ends.push(this.#output.attach(task, { from: openedAt(task.log) }));
    const isTopmost = task === this.#task;
    const results = task.events$.subscribe((shown) => {
      const result = isTopmost ? undefined : completedIn(shown);
      if (result !== undefined) this.#form.heard(result);
    });
    const completions = task.asks$.subscribe(({ kind }) => {
      if (isTopmost && kind === "completion_result") this.#end(EXIT.done);
    });
    this.#ends.push(
      () => results.unsubscribe(),
      () => completions.unsubscribe(),
    );
    this.#attendant.attach(task);
  }

  #fail(message: string): void {
    if (this.#isOver) return;
    this.#output.line(sayCliError(message).trimEnd(), "error");
    this.#end(EXIT.failed);
  }

  #end(code: number): void {
    if (this.#isOver) return;
    this.#stop();
    this.#leave(code);
  }

  /** What the task does while it is closed is nobody's business here. */
  #stop(): void {
    this.#isOver = true;
    for (const end of this.#ends.splice(0)) end();
    this.#attendant.close();
  }
}
