import { systemClock } from "../../actors/protocol/edge.ts";
import { OutputManager } from "../../client/roo/console/output-manager.ts";
import { openedAt } from "../../client/roo/ndjson/task-log.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Task } from "../../runtime/task/task.ts";
import { EXIT, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import type { Leave, RunSettings } from "../run/settings.ts";
import { completionResult, type RunHost, startTask, subtaskLabel, subtasksOf } from "../run/subtasks.ts";
import { type AskSettings, PrintAsks } from "./asks.ts";
import { PrintFormat } from "./print-format.ts";

/** Settings of a run that prints text. */
export type PrintSettings = Pick<RunSettings, "prompt"> & AskSettings;

/**
 * Runs a task and prints it as text, for a log, a pipe or a user. Ends at the completion of the task, or at an ask that
 * nobody answers.
 */
export class Printer {
  readonly #task: Task;
  readonly #prompt: string | undefined;
  readonly #leave: Leave;
  readonly #subtasks: Task[] = [];
  readonly #format: PrintFormat;
  readonly #output: OutputManager;
  readonly #asks: PrintAsks;
  readonly #isResumed: boolean;
  readonly #cleanups: (() => void)[] = [];
  #isOver = false;

  constructor(
    task: Task,
    host: RunHost,
    settings: PrintSettings,
    io: Io,
    leave: Leave,
    clock: Clock = systemClock,
  ) {
    this.#task = task;
    this.#prompt = settings.prompt;
    this.#leave = leave;
    this.#isResumed = task.log.length > 0;
    this.#format = new PrintFormat(task, this.#subtasks);
    const { stdin, stdout, stderr } = io;
    this.#output = new OutputManager({
      stdout,
      stderr,
      onError: () => this.#output.isGone && this.#end(EXIT.failed),
    });
    this.#asks = new PrintAsks({
      ...{ task, host, settings, stdin, clock },
      output: this.#output,
      fail: (message) => this.#fail(message),
    });
    this.#follow(task);
    subtasksOf(task, host).subscribe((opened) => this.#followSubtask(opened));
  }

  start(): void {
    startTask(this.#task, this.#prompt, this.#isResumed, (message) => this.#fail(message));
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
    this.#subtasks.push(task);
    this.#format.markBeside();
    this.#output.line(`[${subtaskLabel(task)}] ${task.snapshot.context.mode}`);
    this.#follow(task);
  }

  #follow(task: Task): void {
    this.#cleanups.push(
      this.#output.attach(task, { from: openedAt(task.log), format: this.#format.of(task) }),
    );
    const isTopmost = task === this.#task;
    const results = task.events$.subscribe((shown) => {
      const result = isTopmost ? undefined : completionResult(shown);
      if (result !== undefined) this.#format.markPrinted(result);
    });
    const completions = task.asks$.subscribe(({ kind }) => {
      if (isTopmost && kind === "completion") this.#end(EXIT.done);
    });
    this.#cleanups.push(
      () => results.unsubscribe(),
      () => completions.unsubscribe(),
    );
    this.#asks.attach(task);
  }

  #fail(message: string): void {
    if (this.#isOver) return;
    this.#output.line(formatCliError(message).trimEnd(), "error");
    this.#end(EXIT.failed);
  }

  #end(code: number): void {
    if (this.#isOver) return;
    this.#stop();
    this.#leave(code);
  }

  /** Stop following the task. */
  #stop(): void {
    this.#isOver = true;
    for (const clean of this.#cleanups.splice(0)) clean();
    this.#asks.close();
  }
}
