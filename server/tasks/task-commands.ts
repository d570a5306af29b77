import path from "node:path";
import type { Answer } from "../../machines/message/asks.ts";
import { profileNames } from "../../machines/task/profile.ts";
import type { Proposal } from "../../machines/tool-call/call.ts";
import type { BreakpointSettings } from "../../runtime/breakpoints/breakpoints.ts";
import type { Host } from "../../runtime/host.ts";
import type { CommonTaskOptions, ModelOptions } from "../../runtime/options.ts";
import { assertContinuable } from "../../runtime/task/continued.ts";
import { HostError } from "../../runtime/task/errors.ts";
import { answeredWhereShown } from "../../runtime/task/run.ts";
import { assertProfile } from "../../runtime/task/selection.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskEnd } from "../../runtime/task/task-end.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import type {
  Choices,
  PermissionChangeBody,
  QueuedEdit,
  ScheduledWakeUp,
  ServedModel,
  TaskInfo,
} from "../../wire/http/api.ts";
import { RejectedError } from "../error.ts";
import type { TaskMoment } from "../traces/explain-task.ts";
import { servedModels } from "./served-models.ts";
import type { TaskList } from "./task-list.ts";

const NO_BREAKPOINTS: Required<BreakpointSettings> = { states: [], events: [], laws: false, pause: false };

/** The options of every task that a server creates or opens. */
export type ServedTask = ModelOptions & Omit<CommonTaskOptions, "id" | "workspace" | "mode">;

export interface TaskCommandsOptions {
  readonly host: Host;
  readonly history: TaskHistory;
  readonly list: TaskList;
  readonly task: ServedTask;
  /** The default workspace; relative workspaces are resolved against it. */
  readonly workspace: string;
}

export interface NewTaskBody {
  readonly prompt: string;
  readonly images: readonly string[];
  readonly workspace?: string;
  readonly mode?: string;
  readonly id?: string;
  readonly pool?: string;
}

/**
 * The commands of clients to tasks. Each resolves once its effect is durable.
 *
 * Each also throws HostError `TASK_CLOSED` for a task that is not open here, and TaskHistoryError `TASK_UNKNOWN` if
 * there is none.
 */
export class TaskCommands {
  readonly #options: TaskCommandsOptions;

  constructor(options: TaskCommandsOptions) {
    this.#options = options;
  }

  /** The models that a task can select. */
  get models(): readonly ServedModel[] {
    return servedModels(this.#options.task);
  }

  /** @throws HostError `OPTION_INVALID` for a profile that no task can select */
  assertModel(profile: string): void {
    assertProfile(
      profile,
      this.models.map((model) => model.profile),
    );
  }

  /** @throws HostError `OPTION_INVALID`, `TASK_EXISTS` @throws JournalError @throws ToolError for the workspace */
  async create({ prompt, images, workspace = ".", mode, id, pool }: NewTaskBody): Promise<TaskInfo> {
    if (pool !== undefined)
      throw new HostError(
        "OPTION_INVALID",
        `Expected no pool, got ${pool}: this server runs its tasks itself. Leave it out, or send the request to a server with workers.`,
      );
    const { host, task: options, list } = this.#options;
    const task = await host.create({
      ...options,
      workspace: path.resolve(this.#options.workspace, workspace),
      ...(mode !== undefined && { mode }),
      ...(id !== undefined && { id }),
    });
    try {
      await started(
        task,
        task.run(prompt, { images, onAsk: answeredWhereShown }),
        ({ type }) => type === "task.start",
      );
    } catch (error) {
      // It has not started and leaves nothing behind. This error is reported, not the error of closing.
      await task.close().catch(() => undefined);
      throw error;
    }
    return list.get(task.id);
  }

  /** Open a task from its journal; one that is open stays as it is. @throws HostError @throws JournalError */
  async open(taskId: string): Promise<TaskInfo> {
    const { host, task: options, list } = this.#options;
    if (!host.tasks.has(taskId)) await host.open(taskId, options);
    return list.get(taskId);
  }

  /** Cancel a task and close it. @throws JournalError */
  async close(taskId: string): Promise<void> {
    await this.task(taskId);
    await this.#options.host.close(taskId);
  }

  /** Continue a task that is at rest. @throws HostError `TASK_BUSY`, `OPTION_INVALID` */
  async continue(taskId: string, text: string, images: readonly string[]): Promise<TaskInfo> {
    const task = await this.task(taskId);
    const isStart = (cause: Cause): boolean =>
      cause.type === "task.start" || (cause.type === "ask.answered" && cause.answer.text === text);
    await started(task, task.run(text, { images, onAsk: answeredWhereShown }), isStart);
    return this.#options.list.get(taskId);
  }

  /** @throws RejectedError with a code of `AnswerRefusal` */
  async answer(taskId: string, askId: number, answer: Answer): Promise<void> {
    const task = await this.task(taskId);
    const result = task.answer(askId, answer);
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
  }

  /** The part of the call that an approval of an open ask can amend. @throws RejectedError `ASK_UNKNOWN`, `ANSWER_REFUSED` */
  async proposal(taskId: string, askId: number): Promise<Proposal> {
    const task = await this.task(taskId);
    const ask = task.asks.find(({ id }) => id === askId);
    if (ask === undefined)
      throw new RejectedError({
        code: "ASK_UNKNOWN",
        message: `Expected the id of an open ask, got ${askId}. Look at the task's asks.`,
      });
    const proposal = "proposal" in ask ? ask.proposal : undefined;
    if (proposal === undefined)
      throw new RejectedError({
        code: "ANSWER_REFUSED",
        message: `Ask ${askId} (${ask.type}) has no proposal: its call takes no amendment, or is too large.`,
      });
    return proposal;
  }

  /** Move a running command to the background, or abort it. @throws RejectedError */
  async command(taskId: string, askId: number, action: "proceed" | "abort"): Promise<void> {
    const task = await this.task(taskId);
    const other = task.asks.find(({ id, kind }) => id === askId && kind !== "command_output");
    if (other !== undefined)
      throw new RejectedError({
        code: "ANSWER_REFUSED",
        message: `Expected an ask of kind command_output, got ask ${askId} of kind ${other.kind}. Answer it with POST .../answer.`,
      });
    await this.answer(taskId, askId, { kind: action === "proceed" ? "yes" : "no" });
  }

  /** The modes and the models that an open task can be switched to. */
  async choices(taskId: string): Promise<Choices> {
    const { modes, snapshot } = await this.task(taskId);
    const { profiles, standardModel } = snapshot.context;
    return {
      modes: modes.map(({ slug, name }) => ({ slug, name })),
      profiles: profileNames(profiles).map((name) => {
        const model = name === profiles.standard ? standardModel : profiles.models[name];
        return { name, ...(model && { provider: model.provider, model: model.id }) };
      }),
    };
  }

  /** Switch the mode from the next request on. @throws HostError `OPTION_INVALID` */
  async switchMode(taskId: string, slug: string): Promise<TaskInfo> {
    const task = await this.task(taskId);
    const result = task.switchMode(slug);
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
    return this.#options.list.get(taskId);
  }

  /** Select the model of the next request by its profile. @throws HostError `OPTION_INVALID` */
  async selectProfile(taskId: string, name: string): Promise<TaskInfo> {
    const task = await this.task(taskId);
    const result = task.selectProfile(name);
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
    return this.#options.list.get(taskId);
  }

  /** Change what is permitted. @throws HostError `OPTION_INVALID` */
  async changePermissions(taskId: string, { mode, rules }: PermissionChangeBody): Promise<TaskInfo> {
    const task = await this.task(taskId);
    const result = task.changePermissions({ ...(mode && { level: mode }), ...(rules && { rules }) });
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
    return this.#options.list.get(taskId);
  }

  /** @throws RejectedError `QUEUE_FULL` @throws HostError `OPTION_INVALID` */
  async queue(taskId: string, text: string, images: readonly string[]): Promise<{ readonly id: string }> {
    const task = await this.task(taskId);
    const result = task.queue(text, images);
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
    return { id: result.id };
  }

  /** @throws RejectedError `QUEUED_UNKNOWN` @throws HostError `OPTION_INVALID` */
  async editQueued(taskId: string, id: string, { text, images }: QueuedEdit): Promise<void> {
    const task = await this.task(taskId);
    const result = task.editQueued(id, text, images);
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
  }

  /** @throws RejectedError `QUEUED_UNKNOWN` */
  async unqueue(taskId: string, id: string): Promise<void> {
    const task = await this.task(taskId);
    if (!task.snapshot.context.queue.some((item) => item.id === id))
      throw new RejectedError({
        code: "QUEUED_UNKNOWN",
        message: `There is no message ${id} in the queue of task ${taskId}. It may have been sent already.`,
      });
    task.unqueue(id);
    await task.flushed();
  }

  /** Schedule a wake-up. @throws RejectedError `WAKE_UP_REFUSED`, `WAKE_UP_OF_SUBTASK` @throws HostError `OPTION_INVALID` */
  async wakeAt(
    taskId: string,
    { at, message, ...interval }: ScheduledWakeUp,
  ): Promise<{ readonly id: string }> {
    const task = await this.task(taskId);
    const result = task.wakeAt(at, message, interval);
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
    return { id: result.id };
  }

  /** @throws RejectedError `WAKE_UP_UNKNOWN` */
  async clearWakeUp(taskId: string, id: string): Promise<void> {
    const task = await this.task(taskId);
    const result = task.clearWakeUps(id);
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
  }

  /** Pause a task and its open subtasks. @throws RejectedError `TASK_AT_REST` */
  async pause(taskId: string): Promise<TaskInfo> {
    const task = await this.task(taskId);
    const result = task.pause();
    if (!result.ok) throw new RejectedError(result);
    await task.flushed();
    return this.#options.list.get(taskId);
  }

  /** Pause all tasks that work. */
  async pauseAll(): Promise<{ readonly tasks: readonly TaskInfo[] }> {
    const paused = this.#options.host.pauseAll();
    await Promise.all(paused.map((task) => task.flushed()));
    return { tasks: await Promise.all(paused.map(({ id }) => this.#options.list.get(id))) };
  }

  async cancel(taskId: string): Promise<TaskInfo> {
    const task = await this.task(taskId);
    task.cancel();
    await task.flushed();
    return this.#options.list.get(taskId);
  }

  async breakpoints(taskId: string): Promise<Required<BreakpointSettings> & { readonly lifted?: string }> {
    const { settings, lifted } = (await this.task(taskId)).breakpoints;
    return { ...NO_BREAKPOINTS, ...settings, ...(lifted !== undefined && { lifted: lifted.message }) };
  }

  async setBreakpoints(taskId: string, settings: BreakpointSettings): Promise<void> {
    (await this.task(taskId)).breakpoints.set(settings);
    this.#options.list.changed(taskId);
  }

  async step(taskId: string): Promise<void> {
    (await this.task(taskId)).breakpoints.step();
    this.#options.list.changed(taskId);
  }

  async resume(taskId: string): Promise<void> {
    (await this.task(taskId)).breakpoints.resume();
    this.#options.list.changed(taskId);
  }

  /** @throws TaskHistoryError `FORK_INVALID` @throws JournalError */
  async fork(taskId: string, at: number | undefined): Promise<TaskInfo> {
    const { history, list } = this.#options;
    const { id } = await history.fork(taskId, at === undefined ? {} : { at });
    list.changed(id);
    return list.get(id);
  }

  /**
   * Fork a task at a moment, and open the fork with the ask that was open there.
   * @throws HostError `TASK_BUSY` if more than the ask was under way @throws as {@link fork} does
   */
  async forkOpen(taskId: string, { record, snapshot }: TaskMoment): Promise<TaskInfo> {
    assertContinuable(snapshot);
    const { host, task: options, list } = this.#options;
    const { id } = await this.fork(taskId, record);
    await host.openFork(id, snapshot, options);
    return list.get(id);
  }

  /** @throws TaskHistoryError `NAME_INVALID` */
  async rename(taskId: string, title: string): Promise<TaskInfo> {
    const { history, list } = this.#options;
    await history.rename(taskId, title);
    list.changed(taskId);
    return list.get(taskId);
  }

  /** The task, if it is open here. */
  async task(taskId: string): Promise<Task> {
    const task = this.#options.host.tasks.get(taskId);
    if (task !== undefined) return task;
    await this.#options.list.assertExists(taskId);
    throw new HostError(
      "TASK_CLOSED",
      `Task ${taskId} is not open here. Open it with POST /api/tasks/${taskId}/open, then repeat the request.`,
    );
  }
}

type Cause = NonNullable<TaskCommit["commit"]["cause"]>;

/** Resolves once a commit's cause matches `isStart`. Rejects if the run rejects before. */
async function started(task: Task, run: Promise<TaskEnd>, isStart: (cause: Cause) => boolean): Promise<void> {
  let resolveStart = (): void => {};
  const start = new Promise<void>((resolve) => {
    resolveStart = resolve;
  });
  const commits = task.events$.subscribe(({ commit }) => {
    if (commit.cause !== undefined && isStart(commit.cause)) resolveStart();
  });
  try {
    await Promise.race([start, run]);
  } finally {
    commits.unsubscribe();
  }
}
