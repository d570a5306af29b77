import type { Task, TypedAsk } from "../../client/index.ts";
import type { ClineMessage } from "../../machines/message/index.ts";
import { sayCliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import {
  completedIn,
  type Household,
  isDealtWith,
  type Leave,
  nobodyAnswers,
  numberOf,
  type RunSettings,
  subtasksOf,
} from "../run/index.ts";
import { OutputWriter, printable } from "../show/index.ts";
import { costOf } from "./events.ts";
import { familyEvents } from "./family-events.ts";
import { TextView } from "./text-view.ts";

/** Runs a task with nobody beside it: prints what it does, and ends where somebody would have to answer. */
export class Printer {
  readonly #task: Task;
  readonly #host: Household;
  /** The subtasks, as they were opened. */
  readonly #subtasks: Task[] = [];
  /** One for each task of the family, by its id, where text is printed. */
  readonly #views = new Map<string, TextView>();
  readonly #settings: RunSettings;
  readonly #io: Io;
  readonly #leave: Leave;
  readonly #writer: OutputWriter;
  /** The task goes on: what it asks is answered by the start. */
  #isResumed: boolean;
  #isOver = false;

  constructor(task: Task, host: Household, settings: RunSettings, io: Io, leave: Leave) {
    this.#task = task;
    this.#host = host;
    this.#settings = settings;
    this.#io = io;
    this.#leave = leave;
    this.#writer = new OutputWriter(io.stdout);
    this.#writer.onBroken(() => this.#end(EXIT.failed));
    this.#isResumed = task.log.length > 0;
    this.#follow(task);
    subtasksOf(task, host).subscribe((opened) => this.#followSubtask(opened));
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

  #followSubtask(task: Task): void {
    if (this.#isOver) return;
    this.#subtasks.push(task);
    if (this.#settings.front === "text")
      this.#writer.line(`[subtask ${numberOf(task)}] ${printable(task.snapshot.context.mode)}`);
    this.#follow(task);
  }

  #follow(task: Task): void {
    const view = this.#settings.front === "text" ? new TextView(this.#writer, this.#io.stderr) : undefined;
    if (view !== undefined) this.#views.set(task.id, view);
    // Of what was, the prompt, which tells the view that what the model says follows, and what the opening told.
    const prompt = task.log.at(0);
    const known = prompt === undefined ? [] : [prompt, ...toldByOpening(task)];
    for (const message of known) view?.show({ commit: { log: [{ type: "message.appended", message }] } });
    task.events$.subscribe((shown) => {
      if (this.#isOver) return;
      view?.show(shown);
      const result = completedIn(shown);
      if (result !== undefined && task.parent !== undefined)
        this.#views.get(task.parent.taskId)?.heard(result);
    });
    task.asks$.subscribe((ask) => this.#meet(ask, task));
  }

  #meet(ask: TypedAsk, asker: Task): void {
    if (this.#isOver || this.#isResumed || ask.kind === "command_output") return;
    if (!isDealtWith(asker, this.#task, ask.kind, this.#host)) return;
    if (ask.kind === "completion_result" && asker === this.#task) void this.#succeed();
    else this.#fail(nobodyAnswers(ask, "this is the print mode"));
  }

  async #succeed(): Promise<void> {
    const { context } = this.#task.snapshot;
    if (this.#settings.front === "json") {
      // What a subtask's journal can't tell any more is not counted.
      const usage = await this.#task.familyUsage().catch(() => context.total);
      const result = {
        type: "result",
        success: true,
        content: context.result ?? "",
        taskId: this.#task.id,
        cost: costOf(usage),
        events: familyEvents(this.#task, this.#subtasks),
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

/** The rows right before a resume ask: what is uncertain, and how a subtask ended (L12). */
function toldByOpening({ log }: Task): readonly ClineMessage[] {
  if (log.at(-1)?.ask !== "resume_task") return [];
  const told: ClineMessage[] = [];
  for (let position = log.length - 2; position > 0; position -= 1) {
    const row = log.at(position);
    if (row === undefined || (row.say !== "error" && row.say !== "subtask_result")) break;
    told.unshift(row);
  }
  return told;
}
