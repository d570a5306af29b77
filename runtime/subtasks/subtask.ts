import { isDeepStrictEqual } from "node:util";
import { filter, firstValueFrom } from "rxjs";
import type { ActorInputs } from "../../machines/task/index.ts";
import type { Grant, SubtaskOutcome } from "../../machines/tool-call/index.ts";
import { type JournalDriver, readSubtaskOutcome, replayJournal, subtaskOutcome } from "../../store/index.ts";
import { builtinTools, subtaskOf } from "../../tools/index.ts";
import type { JournalHeader } from "../../wire/index.ts";
import type { SubtaskOptions, TaskOptions } from "../options.ts";
import { HostError } from "../task/errors.ts";
import type { PermissionChange, Task } from "../task/task.ts";
import type { TaskCommit } from "../task/task-view.ts";

type Parent = NonNullable<JournalHeader["parent"]>;
export type SubtaskInput = ActorInputs["subtask"];

/** A task as the parent of subtasks. */
export interface ParentTask {
  readonly id: string;
  readonly rootId: string;
  /** The options of the task; its subtasks inherit them. */
  readonly options: SubtaskOptions;
}

/** The host of subtasks. */
export interface SubtaskHost {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly journal: (taskId: string) => JournalDriver;
  create(id: string, options: SubtaskOptions, parent: Parent): Promise<Task>;
  open(id: string, options: TaskOptions): Promise<Task>;
}

interface OpenedSubtask {
  readonly task: Task;
  /** The prompt, for a subtask that has not started. */
  readonly prompt: string;
}

export const CANCELLED: SubtaskOutcome = { kind: "cancelled" };

/** Open or create the subtask of a tool call; returns its outcome where it has ended already (L16). */
export async function openSubtask(
  { tasks, journal, create, open }: SubtaskHost,
  { id, rootId, options }: ParentTask,
  {
    callId,
    childId,
    name,
    input,
    grant,
    chosenProfile,
    intent,
    permissions: { mode: permissionMode, rules },
  }: SubtaskInput,
): Promise<OpenedSubtask | SubtaskOutcome> {
  const request = subtaskOf(input);
  if (request === undefined)
    return unspent(failed(`${name} needs the arguments of new_task: mode and message.`), grant);
  const { prompt, mode } = request;
  const parent = { taskId: id, rootId, callId };
  const permissions = { mode: permissionMode, rules };
  const { id: _, budget: __, chosenProfile: ___, intent: ____, ...others } = options;
  // A policy reviews the result of a subtask: it is the argument of a call.
  const inherited = {
    ...others,
    completion: "tool",
    queueDelivery: "all",
    permissions,
    ...(grant !== undefined && { budget: grant }),
    ...(chosenProfile !== undefined && { chosenProfile }),
    ...(intent !== undefined && { intent }),
  } as const;
  const known = tasks.get(childId);
  if (known !== undefined)
    return isSame(known.parent, parent) ? { task: known, prompt } : unspent(notOwned(childId), grant);
  const driver = journal(childId);
  const header = (await replayJournal(driver, { until: 0 }))?.header;
  if (header === undefined) {
    const created = create(childId, { ...inherited, mode }, parent).then((task) => ({ task, prompt }));
    return created.catch((error: unknown) => unspent(failedBy(error), grant));
  }
  if (!isSame(header.parent, parent)) return unspent(notOwned(childId), grant);
  const outcome = await readSubtaskOutcome(driver, { parentId: id, callId });
  if (outcome !== undefined) return outcome;
  const task = await open(childId, { ...inherited, mode });
  // They may have changed while the subtask was not open.
  if (!isDeepStrictEqual(permittedTo(task), permissions)) task.changePermissions(permissions);
  return { task, prompt };
}

const permittedTo = ({ snapshot: { context } }: Task): Required<PermissionChange> => {
  const { mode, rules } = context.permissions;
  return { mode, rules };
};

const isSame = (one: Parent | undefined, other: Parent): boolean =>
  one?.taskId === other.taskId && one.callId === other.callId;

const notOwned = (childId: string): SubtaskOutcome =>
  failed(`the id ${childId} belongs to a task that another call started.`);

/** The failure of a subtask that never ran: its parent gets the whole grant back. */
const unspent = (outcome: SubtaskOutcome, grant: Grant | undefined): SubtaskOutcome =>
  outcome.kind === "failed" && grant !== undefined ? { ...outcome, rest: grant } : outcome;

interface SubtaskRun extends OpenedSubtask {
  readonly journal: (taskId: string) => JournalDriver;
  readonly parent: ParentTask;
  readonly input: SubtaskInput;
  /** Aborts when the parent no longer waits: that cancels the subtask and closes it. */
  readonly signal: AbortSignal;
  /** Called synchronously with the outcome. */
  readonly onEnd: () => void;
}

/** Run a subtask and resolve with its first outcome. */
export function runSubtask(run: SubtaskRun): Promise<SubtaskOutcome> {
  const { task, signal, onEnd } = run;
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (outcome: SubtaskOutcome): void => {
      if (isSettled) return;
      isSettled = true;
      commits.unsubscribe();
      signal.removeEventListener("abort", stop);
      onEnd();
      resolve(outcome);
    };
    const fail = (error: unknown): void => settle(failedBy(error));
    const stop = (): void => {
      // This cancels the subtask synchronously; the caller of a later `close` receives an error of closing.
      task.close().catch(() => undefined);
      settle(CANCELLED);
    };
    const commits = task.events$.subscribe({
      next(commit) {
        const outcome = outcomeIn(commit);
        if (outcome !== undefined) settle(outcome);
      },
      // A closed task rejects with the reason.
      complete: () => void task.settled().catch(fail),
    });
    signal.addEventListener("abort", stop);
    startOrResume(run).then((outcome) => outcome !== undefined && settle(outcome), fail);
  });
}

/** The outcome in a commit. One that is not durable settles the task because its journal failed. */
const outcomeIn = ({ commit, durable }: TaskCommit): SubtaskOutcome | undefined =>
  durable ? subtaskOutcome(commit) : failed("its journal could not be written");

/** Start or resume a subtask. Returns its outcome if it ended before its commits were observed. */
async function startOrResume(run: SubtaskRun): Promise<SubtaskOutcome | undefined> {
  const { task, prompt, journal, parent, input, signal } = run;
  if (task.state.state === "no_task") {
    await task.run(prompt);
    return undefined;
  }
  const outcome = await readSubtaskOutcome(journal(task.id), { parentId: parent.id, callId: input.callId });
  if (outcome !== undefined) return outcome;
  const ask = task.log.at(-1)?.ask;
  if (ask === "resume_completed_task") return outcomeByPolicy(task, parent.options);
  if (ask !== "resume_task") return undefined;
  // Resuming the parent resumes its subtask, unless it was cancelled meanwhile.
  const resume = await firstValueFrom(task.asks$.pipe(filter((open) => open.kind === "resume_task")));
  if (!signal.aborted) resume.resume();
  return undefined;
}

/**
 * The outcome of a subtask whose process ended between its completion ask and the answer: finished, if the policy allows
 * the completion; otherwise a person continues with it.
 */
async function outcomeByPolicy(task: Task, options: TaskOptions): Promise<SubtaskOutcome | undefined> {
  const { policy, tools } = options;
  const tool = (tools ?? builtinTools()).find(({ ask }) => ask === "completion_result");
  if (tool === undefined || policy === undefined) return undefined;
  const result = task.snapshot.context.result ?? "";
  const { permissions } = task.snapshot.context;
  const description = { text: result, paths: [] };
  const facts = { workspace: task.workspace, description, permissions, subtask: true };
  const verdict = await policy({ tool, input: { result } }, facts);
  return verdict.kind === "allow" ? { kind: "finished", result } : undefined;
}

const failed = (message: string): SubtaskOutcome => ({ kind: "failed", message });

/** The outcome for an error. A subtask that another caller closed was cancelled. */
export function failedBy(error: unknown): SubtaskOutcome {
  if (error instanceof HostError && error.code === "TASK_CLOSED") return CANCELLED;
  return failed(error instanceof Error ? error.message : String(error));
}
