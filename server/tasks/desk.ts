import path from "node:path";
import type { Answer } from "../../machines/message/index.ts";
import {
  type BreakpointSettings,
  type Host,
  HostError,
  type Task,
  type TaskCommit,
  type TaskEnd,
  type TaskHistory,
  type TaskOptions,
} from "../../runtime/index.ts";
import type { QueuedEdit, TaskCard } from "../../wire/index.ts";
import type { Book } from "./book.ts";
import { Refused } from "./refused.ts";

const NOTHING_SET: Required<BreakpointSettings> = { states: [], events: [], laws: false, pause: false };

/** What every task of a server is made and opened with. */
export type ServedTask = Omit<TaskOptions, "id" | "workspace" | "mode">;

export interface DeskOptions {
  readonly host: Host;
  readonly history: TaskHistory;
  readonly book: Book;
  readonly task: ServedTask;
  /** Where a task works that names no folder. Others are meant from there. */
  readonly workspace: string;
}

/** What a new task is. */
export interface NewTaskWords {
  readonly prompt: string;
  readonly images: readonly string[];
  readonly workspace?: string;
  readonly mode?: string;
  readonly id?: string;
}

/**
 * Does to tasks what clients ask for. What is said here resolves once it is durable.
 *
 * Each throws, beside what it names, HostError `TASK_CLOSED` for a task that is not open here, and TaskHistoryError
 * `TASK_UNKNOWN` where there is none.
 */
export class Desk {
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** @throws HostError `OPTION_INVALID`, `TASK_EXISTS` @throws JournalError @throws ToolError for the workspace */
  async create({ prompt, images, workspace = ".", mode, id }: NewTaskWords): Promise<TaskCard> {
    const { host, task: options, book } = this.#options;
    const task = await host.create({
      ...options,
      workspace: path.resolve(this.#options.workspace, workspace),
      ...(mode !== undefined && { mode }),
      ...(id !== undefined && { id }),
    });
    try {
      await taken(task, task.run(prompt, images), ({ type }) => type === "task.start");
    } catch (error) {
      // It has not begun: nothing is left of it, and nothing of what closing it may say is news.
      await task.close().catch(() => undefined);
      throw error;
    }
    return book.card(task.id);
  }

  /** Opens a task from its journal; one that is open stays as it is. @throws HostError @throws JournalError */
  async open(taskId: string): Promise<TaskCard> {
    const { host, task: options, book } = this.#options;
    if (!host.tasks.has(taskId)) await host.open(taskId, options);
    return book.card(taskId);
  }

  /** Brings a task to rest and lets go of it. @throws JournalError */
  async close(taskId: string): Promise<void> {
    await this.#task(taskId);
    await this.#options.host.close(taskId);
  }

  /** Goes on with a task that rests. @throws HostError `TASK_BUSY`, `OPTION_INVALID` */
  async say(taskId: string, text: string, images: readonly string[]): Promise<TaskCard> {
    const task = await this.#task(taskId);
    const run = task.run(text, images);
    await taken(
      task,
      run,
      (cause) => cause.type === "task.start" || (cause.type === "ask.answered" && cause.answer.text === text),
    );
    return this.#options.book.card(taskId);
  }

  /** @throws Refused with a code of `AnswerRefusal` */
  async answer(taskId: string, askId: number, answer: Answer): Promise<void> {
    const task = await this.#task(taskId);
    const result = task.answer(askId, answer);
    if (!result.taken) throw new Refused(result);
    await task.flushed();
  }

  /** Leaves a command that runs to go on beside the agent, or ends it. @throws Refused */
  async command(taskId: string, askId: number, wish: "proceed" | "abort"): Promise<void> {
    const task = await this.#task(taskId);
    const other = task.asks.find(({ id, kind }) => id === askId && kind !== "command_output");
    if (other !== undefined)
      throw new Refused({
        code: "ANSWER_REFUSED",
        message: `Ask ${askId} (${other.kind}) is about no command that runs: expected one of kind command_output. Answer it with POST .../answer.`,
      });
    await this.answer(taskId, askId, { kind: wish === "proceed" ? "yes" : "no" });
  }

  /** @throws Refused `QUEUE_FULL` @throws HostError `OPTION_INVALID` */
  async queue(taskId: string, text: string, images: readonly string[]): Promise<{ readonly id: string }> {
    const task = await this.#task(taskId);
    const result = task.queue(text, images);
    if (!result.queued) throw new Refused(result);
    await task.flushed();
    return { id: result.id };
  }

  /** @throws Refused `QUEUED_UNKNOWN` @throws HostError `OPTION_INVALID` */
  async editQueued(taskId: string, id: string, { text, images }: QueuedEdit): Promise<void> {
    const task = await this.#task(taskId);
    const result = task.editQueued(id, text, images);
    if (!result.edited) throw new Refused(result);
    await task.flushed();
  }

  /** @throws Refused `QUEUED_UNKNOWN` */
  async unqueue(taskId: string, id: string): Promise<void> {
    const task = await this.#task(taskId);
    if (!task.snapshot.context.queue.some((item) => item.id === id))
      throw new Refused({
        code: "QUEUED_UNKNOWN",
        message: `No message ${id} waits in the queue of task ${taskId}. It may be said already.`,
      });
    task.unqueue(id);
    await task.flushed();
  }

  async cancel(taskId: string): Promise<TaskCard> {
    const task = await this.#task(taskId);
    task.cancel();
    await task.flushed();
    return this.#options.book.card(taskId);
  }

  async breakpoints(taskId: string): Promise<Required<BreakpointSettings> & { readonly lifted?: string }> {
    const { settings, lifted } = (await this.#task(taskId)).breakpoints;
    return { ...NOTHING_SET, ...settings, ...(lifted !== undefined && { lifted: lifted.message }) };
  }

  async setBreakpoints(taskId: string, settings: BreakpointSettings): Promise<void> {
    (await this.#task(taskId)).breakpoints.set(settings);
    this.#options.book.changed(taskId);
  }

  async step(taskId: string): Promise<void> {
    (await this.#task(taskId)).breakpoints.step();
  }

  async resume(taskId: string): Promise<void> {
    (await this.#task(taskId)).breakpoints.resume();
  }

  /** @throws TaskHistoryError `FORK_INVALID` @throws JournalError */
  async fork(taskId: string, at: number | undefined): Promise<TaskCard> {
    const { history, book } = this.#options;
    const { id } = await history.fork(taskId, at === undefined ? {} : { at });
    book.changed(id);
    return book.card(id);
  }

  /** @throws TaskHistoryError `NAME_INVALID` */
  async rename(taskId: string, title: string): Promise<TaskCard> {
    const { history, book } = this.#options;
    await history.rename(taskId, title);
    book.changed(taskId);
    return book.card(taskId);
  }

  async #task(taskId: string): Promise<Task> {
    const task = this.#options.host.tasks.get(taskId);
    if (task !== undefined) return task;
    await this.#options.book.expect(taskId);
    throw new HostError(
      "TASK_CLOSED",
      `Task ${taskId} is not open here: open it with POST /api/tasks/${taskId}/open, then say it again.`,
    );
  }
}

type Cause = NonNullable<TaskCommit["commit"]["cause"]>;

/** Resolves once the task has taken what it is run with: `began` tells the commit by its cause. Rejects as the run does before. */
async function taken(task: Task, run: Promise<TaskEnd>, began: (cause: Cause) => boolean): Promise<void> {
  let end = (): void => {};
  const begun = new Promise<void>((resolve) => {
    const shown = task.events$.subscribe(({ commit }) => {
      if (commit.cause !== undefined && began(commit.cause)) resolve();
    });
    end = () => shown.unsubscribe();
  });
  try {
    await Promise.race([begun, run]);
  } finally {
    end();
  }
}
