import { homedir } from "node:os";
import path from "node:path";
import { type Observable, Subject } from "rxjs";
import { ContainedObservable } from "../actors/protocol/contained.ts";
import { systemClock } from "../actors/protocol/edge.ts";
import { throwUncaught } from "../actors/protocol/uncaught.ts";
import { subtaskStep } from "../machines/task/subtask-outcome.ts";
import type { ReopenedTask } from "../machines/task/task.context.ts";
import type { ModelRef } from "../machines/task/task.events.ts";
import type { JournalDriver } from "../ports/journal.ts";
import { JournalError } from "../store/journal/error.ts";
import { fileJournal } from "../store/journal/file.ts";
import { findSubtask } from "../store/recovery/subtask-outcome.ts";
import { taskFolder } from "../store/task-history/task-folder.ts";
import { type JournalHeader, recordedRules } from "../wire/journal/record.ts";
import { assertControlled } from "./features/control.ts";
import { hostFeatures } from "./features/features.ts";
import {
  assertHostOptions,
  assertReopenOptions,
  assertTaskOptions,
  type HostOptions,
  type ReopenOptions,
  type SubtaskOptions,
  type TaskOptions,
  withModel,
} from "./options.ts";
import { recoverTask } from "./recovery.ts";
import { Residents } from "./residents.ts";
import { OpenBackgroundSubtasks } from "./subtasks/background-subtasks.ts";
import { IsolatedSubtasks } from "./subtasks/isolated-subtasks.ts";
import { ReportedSubtasks } from "./subtasks/reported-subtasks.ts";
import { DEFAULT_SUBTASK_DEPTH, SubtaskTree } from "./subtasks/subtask-tree.ts";
import { assertContinuable, assertMomentOf } from "./task/continued.ts";
import { HostError } from "./task/errors.ts";
import type { Task } from "./task/task.ts";
import type { TaskSnapshot } from "./task/task-view.ts";
import { type HostEnvironment, openTask } from "./task-assembly.ts";
import { WakeUps } from "./wake-ups.ts";
import { Workspaces } from "./workspaces.ts";

/** Default of `HostOptions.passivateAfterMs`. */
const DEFAULT_PASSIVATE_AFTER_MS = 30_000;

/** Tasks that `closeAll` closes at once. */
const CLOSED_AT_ONCE = 100;

/** The open tasks of a process. Each is a root actor with a journal of its own. */
export interface Host {
  /** The open tasks including subtasks, by id. */
  readonly tasks: ReadonlyMap<string, Task>;
  /** Each task including subtasks when it is created or opened, before its first event; from the subscription on. */
  readonly opened$: Observable<Task>;
  /**
   * Create a task. It starts with `Task.run`.
   * @throws HostError `OPTION_INVALID` naming the option; `TASK_EXISTS` for an id that is open here; `HOST_CLOSED`
   * @throws ToolError if the workspace is no folder, or two tools have the same name
   * @throws the reason of `signal` if it aborts before the task is created
   */
  create(options: TaskOptions): Promise<Task>;
  /**
   * Open a task from its journal. Requests, asks and calls that its process left open are closed, and it is at rest with
   * a resume ask (L11, L12). Resolves when that is durable.
   * @throws HostError `TASK_UNKNOWN`; `TASK_DAMAGED` where the journal is read-only; `TASK_EXISTS` for a task that
   * is open here; `OPTION_INVALID`; `HOST_CLOSED`
   * @throws JournalError `JOURNAL_LOCKED` while another process has it open; the codes of reading and writing
   * @throws ToolError if the workspace is no longer a folder
   * @throws the reason of `signal` if it aborts before the task is open
   */
  open(taskId: string, options: ReopenOptions): Promise<Task>;
  /**
   * Open a fork with the ask that was open in its original after the last shared record: nothing is closed, and nothing is
   * appended (law PASSIVE). `moment`: the snapshot of the original after that record, as `Task.snapshot` or a commit has it.
   * @throws HostError `TASK_BUSY` if anything but the ask worked at that moment; `OPTION_INVALID` for the snapshot of another
   * record, and as {@link open} does
   * @throws JournalError and ToolError as {@link open} does
   */
  openFork(taskId: string, moment: TaskSnapshot, options: ReopenOptions): Promise<Task>;
  /**
   * The stack of tasks that contains `taskId`, root first: each task waits for the next one. Below it, where a task waits for
   * several: the first one that a person is asked about, else the first. Below a task that goes on beside subtasks in the
   * background: one that a person is asked about, if the task asks nothing itself. A subtask that no task waits for is the
   * root of its own stack. Empty for a task that is not open here.
   */
  stack(taskId: string): readonly Task[];
  /** The last task of that stack: the one that works and whose asks are open. */
  focus(taskId: string): Task | undefined;
  /**
   * Pause all tasks that work, each with its subtasks, as {@link Task.pause} does (law PAUSE). Returns them, without the
   * subtasks that a task waits for: they are paused with that task.
   */
  pauseAll(): readonly Task[];
  /** Close a task with its subtasks. Does nothing for a task that is not open here. @throws JournalError */
  close(taskId: string): Promise<void>;
  /**
   * Stop a task and its subtasks as the end of this process would, for a reason: nothing more is recorded, so that who opens the
   * journals next continues them as interrupted. Does nothing for a task that is not open here.
   * @throws JournalError of a write that has failed
   */
  abandon(taskId: string, reason: Error): Promise<void>;
  /** Close all tasks, including those being created, and accept no others. @throws JournalError of the first one that failed */
  closeAll(): Promise<void>;
}

/**
 * Create a host. Defaults: journals in files, the built-in tools, reads allowed, a person asked about everything else.
 *
 * @example
 * ```ts
 * import { anthropic, createHost } from "signalbox";
 * const host = createHost({ dataDir: "./tasks" });
 * const task = await host.create({ model: anthropic({ model: "claude-sonnet-4-6" }), workspace: "." });
 * task.asks$.subscribe((ask) => {
 *   if (ask.kind === "tool" || ask.kind === "command") ask.approve();
 * });
 * const { state, result, cost } = await task.run("Make the tests pass");
 * ```
 * @throws HostError `OPTION_INVALID`
 */
export function createHost(options: HostOptions = {}): Host {
  assertHostOptions(options);
  const dataDir = options.dataDir ?? path.join(homedir(), ".signalbox");
  const newId = options.newId ?? (() => crypto.randomUUID());
  const tasks = new Map<string, Task>();
  const opening = new Map<string, Promise<Task>>();
  const journal = options.journal ?? ((taskId) => fileJournal({ dir: taskFolder(dataDir, taskId) }));
  let closed = false;
  const opened$ = new Subject<Task>();
  const { clock = systemClock, onError = throwUncaught } = options;
  const residents = new Residents<Task>({
    clock,
    passivateAfterMs: options.passivateAfterMs ?? DEFAULT_PASSIVATE_AFTER_MS,
    maxResident: options.maxResident ?? Number.POSITIVE_INFINITY,
    onError: (error, task) => onError(error, task.id),
  });
  const wake = (task: Task): void => {
    try {
      task.wake();
    } catch (error) {
      onError(error, task.id);
    }
  };
  const wakeUps = new WakeUps(clock, (id) => {
    const task = tasks.get(id);
    if (task !== undefined) wake(task);
    // The caller that opens it receives the error.
    else opening.get(id)?.then(wake, () => undefined);
  });
  const shared = { clock, dataDir, onError, journal };
  const isWorking = (id: string): boolean => tasks.get(id)?.isWorking === true;
  const isolated = new IsolatedSubtasks({ clock, dataDir, journal, isWorking });
  const environment: HostEnvironment = {
    ...shared,
    random: options.random ?? Math.random,
    newId,
    objects: options.objects,
    traceContext: options.traceContext,
    onEnd: (id) => {
      const task = tasks.get(id);
      tasks.delete(id);
      wakeUps.set(id, undefined);
      if (task === undefined) return;
      residents.remove(task);
      subtasks.remove(task);
    },
    subtasksOf: (parent) => new ReportedSubtasks(parent.id, subtasks.port(parent), isolated),
    filesOfSubtasks: (id) => isolated.filesOf(id),
    backgroundSubtasksOf: (id) => new OpenBackgroundSubtasks(id, { tasks, opened$ }),
    isAwaited: (task) => subtasks.isAwaited(task),
    workspaces: new Workspaces({ clock, dataDir }),
    features: hostFeatures(shared),
    residents,
    wakeUps,
  };
  const close = async (taskId: string): Promise<void> => tasks.get(taskId)?.close();
  /** Open at most one task of an id at a time. */
  const opened = async (id: string, make: () => Promise<Task>, signal?: AbortSignal): Promise<Task> => {
    if (closed) throw hostClosed();
    signal?.throwIfAborted();
    if (tasks.has(id) || opening.has(id)) throw taskExists(id);
    const made = make()
      .then((task) => {
        if (signal?.aborted === true) return discard(task, signal);
        if (signal !== undefined) cancelOnAbort(task, signal, (error) => onError(error, id));
        tasks.set(id, task);
        subtasks.add(task);
        opened$.next(task);
        return task;
      })
      .finally(() => opening.delete(id));
    opening.set(id, made);
    return made;
  };
  const create = (id: string, taskOptions: SubtaskOptions, parent?: JournalHeader["parent"]): Promise<Task> =>
    opened(
      id,
      async () => {
        const driver = journal(id);
        try {
          if (parent !== undefined) await ownNew(id, driver, parent, journal);
          const selected = withModel(taskOptions, undefined);
          return await openTask({ id, options: selected, driver, parent }, environment);
        } catch (error) {
          await driver.close();
          throw error;
        }
      },
      taskOptions.signal,
    );
  const recover = async (id: string, given: ReopenOptions, moment?: TaskSnapshot): Promise<Task> => {
    const driver = journal(id);
    try {
      const { past, replayed, dropped } = await recoverTask(id, driver, journal, clock, (childId, end) =>
        isolated.withChanges(id, childId, end),
      );
      const { header, lastSeq, version, taken, isInterrupted } = replayed;
      assertOwn(id, header);
      const recordedWorkspace = header.hasWorkspace === false ? false : (header.workspace ?? ".");
      const workspace = given.workspace ?? recordedWorkspace;
      const systemPrompt = given.systemPrompt ?? header.systemPrompt;
      const reopening = {
        ...given,
        workspace,
        ...(systemPrompt !== undefined && { systemPrompt }),
        ...recordedRules(header),
      };
      assertControlled(id, past.facts.control, given.control);
      const taskOptions = withModel(reopening, standardModelIn(past));
      if (moment !== undefined) assertMomentOf(past, moment);
      const reopened = {
        past,
        lastSeq,
        version,
        taken,
        isInterrupted,
        ...(dropped !== undefined && { dropped }),
        ...(moment !== undefined && { moment }),
      };
      const task = await openTask(
        { id, options: taskOptions, driver, parent: header.parent, reopened },
        environment,
      );
      await task.flushed();
      return task;
    } catch (error) {
      await driver.close();
      throw error;
    }
  };
  const open = (id: string, given: ReopenOptions): Promise<Task> =>
    opened(id, () => recover(id, given), given.signal);
  const subtasks = new SubtaskTree({
    tasks,
    journal,
    isolate: (subtask, given) => isolated.optionsOf(subtask, given),
    create,
    open,
    opened$,
    depth: options.subtaskDepth ?? DEFAULT_SUBTASK_DEPTH,
    onError,
  });
  return {
    tasks,
    opened$: new ContainedObservable(opened$, (error) => onError(error, "")),
    async create(taskOptions) {
      assertTaskOptions(taskOptions);
      return create(taskOptions.id ?? newId(), taskOptions);
    },
    async open(taskId, taskOptions) {
      assertReopenOptions(taskId, taskOptions);
      return open(taskId, taskOptions);
    },
    async openFork(taskId, moment, taskOptions) {
      assertReopenOptions(taskId, taskOptions);
      assertContinuable(moment);
      return opened(taskId, () => recover(taskId, taskOptions, moment), taskOptions.signal);
    },
    stack: (taskId) => subtasks.stack(taskId),
    focus: (taskId) => subtasks.stack(taskId).at(-1),
    pauseAll: () =>
      [...tasks.values()].filter(
        (task) => task.hasWork && !subtasks.isPausedWithParent(task) && task.pause().ok,
      ),
    close,
    async abandon(taskId, reason) {
      const task = tasks.get(taskId);
      if (task === undefined) return;
      // Subtasks first: the stop of its parent would cancel an open one.
      const family = [...subtasks.openBelow(task).toReversed(), task];
      await Promise.all(family.map((one) => one.abandon(reason)));
    },
    async closeAll() {
      closed = true;
      await Promise.allSettled(opening.values());
      residents.close();
      const errors: unknown[] = [];
      // Closing a passive task activates it: not all at once.
      for (let ids = [...tasks.keys()]; ids.length > 0; ids = ids.slice(CLOSED_AT_ONCE)) {
        const ends = await Promise.allSettled(ids.slice(0, CLOSED_AT_ONCE).map(close));
        errors.push(...ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : [])));
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}

/**
 * Lock the journal of a new subtask, so that another process can neither create nor delete it from now on.
 * @throws JournalError `JOURNAL_LOCKED`, `JOURNAL_EXISTS`
 */
async function ownNew(
  id: string,
  driver: JournalDriver,
  { taskId: parentId, callId }: NonNullable<JournalHeader["parent"]>,
  journal: (taskId: string) => JournalDriver,
): Promise<void> {
  await driver.own();
  if (subtaskStep(await findSubtask(id, { parentId, callId }, journal)) === "create") return;
  const problem = "Expected a subtask that was never created. Another process created or deleted it.";
  throw new JournalError("JOURNAL_EXISTS", driver.path, problem);
}

/** The standard model of a recorded task. Before another one was selected, the newest request went to it. */
const standardModelIn = ({ facts: { profile, model } }: ReopenedTask): ModelRef | undefined =>
  profile?.standard ?? model;

/** @throws HostError `TASK_READ_ONLY` for a session of another agent: nothing of it can be continued here */
function assertOwn(id: string, { transcript }: JournalHeader): void {
  if (transcript === undefined) return;
  throw new HostError(
    "TASK_READ_ONLY",
    `Task ${id} is a session of another agent (${transcript.name}): it can be read only. Give its text to a new task.`,
  );
}

const hostClosed = (): HostError =>
  new HostError("HOST_CLOSED", "This host is closed and no longer accepts tasks. Create a new host.");

const taskExists = (id: string): HostError =>
  new HostError("TASK_EXISTS", `Task ${id} is open in this host. Use that task, or choose another id.`);

/** Close a task that was aborted while it was created. @throws the reason of the signal */
export async function discard(task: Task, signal: AbortSignal): Promise<never> {
  await task.close();
  throw signal.reason;
}

/** Cancel the task when the signal aborts, until it is closed. One that has not started is closed. */
export function cancelOnAbort(task: Task, signal: AbortSignal, onError: (error: unknown) => void): void {
  const onAbort = (): void => {
    if (task.state.state === "no_task") task.close().catch(onError);
    else task.cancelFor("signal");
  };
  signal.addEventListener("abort", onAbort, { once: true });
  task.events$.subscribe({ complete: () => signal.removeEventListener("abort", onAbort) });
}
