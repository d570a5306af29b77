import type { Task, TypedAsk } from "../../client/index.ts";
import { sayCliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type Leave, nobodyAnswers, type RunSettings } from "../run/index.ts";
import { OutputWriter } from "../show/index.ts";
import { costOf, printedEvents } from "./events.ts";
import { TextView } from "./text-view.ts";

/** Runs a task with nobody beside it: prints what it does, and ends where somebody would have to answer. */
export class Printer {
  readonly #task: Task;
  readonly #settings: RunSettings;
  readonly #io: Io;
  readonly #leave: Leave;
  readonly #writer: OutputWriter;
  /** The task goes on: what it asks is answered by the start. */
  #isResumed: boolean;
  #isOver = false;

  constructor(task: Task, settings: RunSettings, io: Io, leave: Leave) {
    this.#task = task;
    this.#settings = settings;
    this.#io = io;
    this.#leave = leave;
    this.#writer = new OutputWriter(io.stdout);
    this.#writer.onBroken(() => this.#end(EXIT.failed));
    const view = settings.front === "text" ? new TextView(this.#writer, io.stderr) : undefined;
    this.#isResumed = task.log.length > 0;
    // Of what was, only the prompt: it tells the view that what the model says follows.
    const prompt = task.log.at(0);
    if (prompt !== undefined)
      view?.show({ commit: { log: [{ type: "message.appended", message: prompt }] } });
    task.events$.subscribe((shown) => {
      if (!this.#isOver) view?.show(shown);
    });
    task.asks$.subscribe((ask) => this.#meet(ask));
  }

  start(): void {
    const ask = this.#isResumed ? this.#task.asks.at(-1) : undefined;
    this.#isResumed = false;
    if (ask?.kind === "resume_task" && this.#settings.prompt === undefined) {
      ask.resume();
      return;
    }
    // How it ends is told by its asks; that it was closed before, by whoever closed it.
    this.#task.run(this.#settings.prompt ?? "").catch(() => undefined);
  }

  interrupt(): void {
    this.#end(EXIT.interrupted);
  }

  close(): void {
    this.#isOver = true;
    this.#writer.freshLine();
  }

  #meet(ask: TypedAsk): void {
    if (this.#isOver || this.#isResumed || ask.kind === "command_output") return;
    if (ask.kind === "completion_result") this.#succeed();
    else this.#fail(nobodyAnswers(ask, "this is the print mode"));
  }

  #succeed(): void {
    const { context } = this.#task.snapshot;
    if (this.#settings.front === "json") {
      const result = {
        type: "result",
        success: true,
        content: context.result ?? "",
        taskId: this.#task.id,
        cost: costOf(context.total),
        events: printedEvents(this.#task.log),
      };
      this.#writer.line(JSON.stringify(result, undefined, 2));
    }
    this.#end(EXIT.done);
  }

  #fail(message: string): void {
    if (this.#isOver) return;
    if (this.#settings.front === "json") {
      this.#writer.line(JSON.stringify({ type: "error", id: Date.now(), content: message }));
    } else {
      this.#writer.freshLine();
      this.#io.stderr.write(sayCliError(message));
    }
    this.#end(EXIT.failed);
  }

  #end(code: number): void {
    this.#isOver = true;
    this.#leave(code);
  }
}
