import { systemClock } from "../../actors/protocol/edge.ts";
import {
  formatMessage,
  type MessageFormat,
  type MessageFormatter,
} from "../../client/roo/console/message-format.ts";
import { OutputManager } from "../../client/roo/console/output-manager.ts";
import { openedAt } from "../../client/roo/ndjson/task-log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Task } from "../../runtime/task/task.ts";
import { EXIT, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import type { Leave, RunSettings } from "../run/settings.ts";
import { completionResult, type RunHost, startTask, subtaskNumber, subtasksOf } from "../run/subtasks.ts";
import { type AskSettings, PrintAsks } from "./asks.ts";

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
  readonly #format = new PrintFormat();
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
    const { stdin, stdout, stderr } = io;
    this.#output = new OutputManager({
      stdout,
      stderr,
      format: this.#format.of,
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
    this.#output.line(`[subtask ${subtaskNumber(task)}] ${task.snapshot.context.mode}`);
    this.#follow(task);
  }

  #follow(task: Task): void {
    this.#cleanups.push(this.#output.attach(task, { from: openedAt(task.log) }));
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

/**
 * The format of printed messages: a result is printed under `[task complete]` at once, so that its ask needs no line; the
 * result of a subtask that has been printed is not printed again.
 */
class PrintFormat {
  readonly #printedResults = new Set<string>();

  /** Mark a result that a subtask has printed. */
  markPrinted(result: string): void {
    this.#printedResults.add(result);
  }

  readonly of: MessageFormatter = (message: ClineMessage): MessageFormat | undefined => {
    if (message.ask === "completion_result") return undefined;
    // The text of Roo Code's command names no rule.
    const { reason: _, ...shown } = message;
    const form = formatMessage(shown);
    if (form === undefined) return undefined;
    if (message.say === "completion_result")
      return { ...form, header: "[task complete] ", isStreamed: false };
    const isPrinted = message.say === "subtask_result" && this.#printedResults.has(message.text ?? "");
    return isPrinted ? { ...form, header: "[subtask ended]", text: "" } : form;
  };
}
