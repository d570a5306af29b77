import { JsonEventEmitter, type JsonEventEmitterOptions } from "../../client/index.ts";
import type { Task, TypedAsk } from "../../runtime/index.ts";
import { sayCliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import {
  type Household,
  isDealtWith,
  type Leave,
  nobodyAnswers,
  type RunSettings,
  subtasksOf,
} from "../run/index.ts";

/** What a run that prints events goes by. */
export interface EventSettings extends Pick<RunSettings, "prompt"> {
  readonly mode: JsonEventEmitterOptions["mode"];
}

/**
 * Runs a task with nobody beside it and prints what it does as events: each as it happens, or all of them at the end.
 * It ends where somebody would have to answer.
 */
export class EventPrinter {
  readonly #task: Task;
  readonly #host: Household;
  readonly #prompt: string | undefined;
  readonly #leave: Leave;
  readonly #emitter: JsonEventEmitter;
  /** The task goes on: what it asks is answered by the start. */
  #isResumed: boolean;
  #isOver = false;
  /** Each ends the telling of a task. */
  readonly #ends: (() => void)[] = [];

  constructor(task: Task, host: Household, settings: EventSettings, io: Io, leave: Leave) {
    this.#task = task;
    this.#host = host;
    this.#prompt = settings.prompt;
    this.#leave = leave;
    this.#isResumed = task.log.length > 0;
    // Nothing is read from the input: nothing may be sent.
    this.#emitter = new JsonEventEmitter({ mode: settings.mode, stdout: io.stdout, capabilities: [] });
    this.#emitter.onBroken(({ code, message }) => {
      if (code === "OUTPUT_FULL") io.stderr.write(sayCliError(message));
      this.#end(EXIT.failed);
    });
    this.#follow(task);
    subtasksOf(task, host).subscribe((opened) => this.#follow(opened));
  }

  start(): void {
    const ask = this.#isResumed ? this.#task.asks.at(-1) : undefined;
    this.#isResumed = false;
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
    this.#isOver = true;
    await this.#emitter.flushed();
    this.#emitter.dispose();
  }

  #follow(task: Task): void {
    if (this.#isOver) return;
    this.#ends.push(this.#emitter.attachToTask(task, task === this.#task ? {} : { subtaskId: task.id }));
    task.asks$.subscribe((ask) => this.#meet(ask, task));
  }

  #meet(ask: TypedAsk, asker: Task): void {
    if (this.#isOver || this.#isResumed || ask.kind === "command_output") return;
    if (!isDealtWith(asker, this.#task, ask.kind, this.#host)) return;
    if (ask.kind === "completion_result" && asker === this.#task) {
      this.#end(EXIT.done);
      return;
    }
    this.#emitter.emitError(nobodyAnswers(ask, "this is the print mode"));
    this.#end(EXIT.failed);
  }

  #end(code: number): void {
    this.#isOver = true;
    for (const end of this.#ends) end();
    this.#leave(code);
  }
}
