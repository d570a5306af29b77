import {
  JsonEventEmitter,
  type JsonEventEmitterOptions,
} from "../../client/roo/ndjson/json-event-emitter.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { EXIT, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import { waitMs } from "../run/followup.ts";
import type { Leave, RunSettings, TaskSettings } from "../run/settings.ts";
import { isHandledHere, type RunHost, startTask, subtasksOf } from "../run/subtasks.ts";
import { formatUnanswered } from "../run/unanswered.ts";

/** Settings of a run that prints events. */
export interface EventSettings extends Pick<RunSettings, "prompt"> {
  readonly task: Pick<TaskSettings, "expiry">;
  readonly outputMode: JsonEventEmitterOptions["mode"];
}

/**
 * Runs a task and prints its events: each as it happens, or all of them at the end. Ends at the first ask that needs an
 * answer.
 */
export class EventPrinter {
  readonly #task: Task;
  readonly #host: RunHost;
  readonly #settings: EventSettings;
  readonly #leave: Leave;
  readonly #emitter: JsonEventEmitter;
  /** Whether the task is resumed: its open ask is answered by the start. */
  #isResumed: boolean;
  #isOver = false;
  readonly #cleanups: (() => void)[] = [];

  constructor(task: Task, host: RunHost, settings: EventSettings, io: Io, leave: Leave) {
    this.#task = task;
    this.#host = host;
    this.#settings = settings;
    this.#leave = leave;
    this.#isResumed = task.log.length > 0;
    // Nothing is read from stdin, so no command may be sent.
    this.#emitter = new JsonEventEmitter({ mode: settings.outputMode, stdout: io.stdout, capabilities: [] });
    this.#emitter.onBroken(({ code, message }) => {
      if (code === "OUTPUT_FULL") io.stderr.write(formatCliError(message));
      this.#end(EXIT.failed);
    });
    this.#follow(task);
    subtasksOf(task, host).subscribe((opened) => this.#follow(opened));
  }

  start(): void {
    const isResumed = this.#isResumed;
    this.#isResumed = false;
    startTask(this.#task, this.#settings.prompt, isResumed, (message) => {
      if (this.#isOver) return;
      this.#emitter.emitError(message);
      this.#end(EXIT.failed);
    });
  }

  interrupt(): void {
    this.#end(EXIT.interrupted);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#emitter.flushed();
    this.#emitter.dispose();
  }

  #follow(task: Task): void {
    if (this.#isOver) return;
    this.#cleanups.push(this.#emitter.attachToTask(task, task === this.#task ? {} : { subtaskId: task.id }));
    task.asks$.subscribe((ask) => this.#handleAsk(ask, task));
  }

  #handleAsk(ask: Ask, asker: Task): void {
    if (this.#isOver || this.#isResumed || ask.kind === "command_output") return;
    if (!isHandledHere(asker, this.#task, ask.kind, this.#host)) return;
    if (ask.kind === "completion" && asker === this.#task) {
      this.#end(EXIT.done);
      return;
    }
    if (waitMs(ask, this.#settings.task) !== undefined) return;
    this.#emitter.emitError(formatUnanswered(ask, "this is print mode"));
    this.#end(EXIT.failed);
  }

  #end(code: number): void {
    this.#isOver = true;
    for (const clean of this.#cleanups) clean();
    this.#leave(code);
  }
}
