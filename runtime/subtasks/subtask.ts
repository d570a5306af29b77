import { isDeepStrictEqual } from "node:util";
import { filter, firstValueFrom, merge } from "rxjs";
import { subtaskOutcome, subtaskStep, waitsForUnavailable } from "../../machines/task/subtask-outcome.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { Grant } from "../../machines/tool-call/grant.ts";
import { type Restriction, restrictedMode } from "../../machines/tool-call/restriction.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { SubtaskEnd, SubtaskPaused, SubtaskUnavailable } from "../../ports/subtasks.ts";
import { JournalError } from "../../store/journal/error.ts";
import { findSubtask, readSubtaskOutcome } from "../../store/recovery/subtask-outcome.ts";
import { builtinTools } from "../../tools/builtin/builtin-tools.ts";
import { type SubtaskRequest, subtaskOf } from "../../tools/builtin/new-task.ts";
import { restrictedPolicy } from "../../tools/judge/restricted.ts";
import { type JournalHeader, SUBTASK_RULES } from "../../wire/journal/record.ts";
import type { SubtaskOptions, TaskOptions } from "../options.ts";
import { HostError } from "../task/errors.ts";
import { type PermissionChange, permissionsOf } from "../task/permission-change.ts";
import type { Task } from "../task/task.ts";
import type { TaskCommit } from "../task/task-view.ts";
import type { IsolatedSubtask } from "./isolated-subtasks.ts";

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
  /** The options of a subtask with the workspace that it works in. */
  isolate(subtask: IsolatedSubtask, options: SubtaskOptions): Promise<SubtaskOptions>;
  create(id: string, options: SubtaskOptions, parent: Parent): Promise<Task>;
  open(id: string, options: TaskOptions): Promise<Task>;
}

interface OpenedSubtask {
  readonly task: Task;
  /** The prompt, for a subtask that has not started. */
  readonly prompt: string;
  /** The restrictions of the subtask, the one of its root's call first. */
  readonly restrictions: readonly Restriction[];
}

export const CANCELLED: SubtaskOutcome = { kind: "cancelled" };
const PAUSED: SubtaskPaused = { kind: "paused" };

/**
 * Open or create the subtask of a tool call; returns its outcome where it has ended already, or was deleted (L16).
 * @throws JournalError, HostError where it can't be opened
 */
export async function openSubtask(
  { tasks, journal, isolate, create, open }: SubtaskHost,
  { id, rootId, options }: ParentTask,
  {
    callId,
    childId,
    name,
    input,
    grant,
    isolation,
    chosenProfile,
    intent,
    permissions: { mode: permissionMode, rules },
  }: SubtaskInput,
): Promise<OpenedSubtask | SubtaskEnd> {
  const request = subtaskOf(input);
  if (request === undefined)
    return unspent(failed(`${name} needs the arguments of new_task: mode and message.`), grant);
  const { prompt, mode, restriction } = request;
  const restrictions = [...(options.restrictions ?? []), ...(restriction === undefined ? [] : [restriction])];
  const parent = { taskId: id, rootId, callId };
  const permissions = { level: restrictedMode(restrictions, permissionMode), rules };
  // A policy reviews the result of a subtask: it is the argument of a call.
  const inherited = {
    ...inheritedFrom(options),
    ...SUBTASK_RULES,
    permissions: { ...options.permissions, ...permissions },
    ...(grant !== undefined && { budget: grant }),
    ...(chosenProfile !== undefined && { chosenProfile }),
    ...(intent !== undefined && { intent }),
    ...givenBy(request),
    ...(restrictions.length > 0 && { restrictions }),
  } as const;
  const known = tasks.get(childId);
  if (known !== undefined)
    return isSame(known.parent, parent)
      ? { task: known, prompt, restrictions }
      : unspent(notOwned(childId), grant);
  const find = async () => subtaskStep(await findSubtask(childId, { parentId: id, callId }, journal));
  const step = await find();
  if (step === "refuse") return unspent(notOwned(childId), grant);
  if (typeof step === "object") return step;
  const isolated = () => isolate({ id: childId, parentId: id, isolation }, { ...inherited, mode });
  const created = async () =>
    isolated()
      .then((own) => create(childId, own, parent))
      .catch((error: unknown) => unspent(unopenedBy(error), grant));
  const opened = async () =>
    isolated()
      .then((own) => open(childId, own))
      .catch(async (error: unknown) => {
        // It may have ended in another process, or been deleted, since it was found.
        const now = await find();
        if (typeof now === "object") return now;
        throw error;
      });
  const task = await (step === "create" ? created() : opened());
  if ("kind" in task) return task;
  permitAsParent(task, tasks.get(id)?.permissions ?? permissions, restrictions);
  return { task, prompt, restrictions };
}

/** The options that a subtask inherits from its parent. */
function inheritedFrom(options: SubtaskOptions): SubtaskOptions {
  const { id: _, budget: __, chosenProfile: ___, intent: ____, ...others } = options;
  const { title: _____, namedProfile: ______, resultSchema: _______, ...inherited } = others;
  return inherited;
}

/** The options that the call of the parent names. */
const givenBy = ({
  name: title,
  profile: namedProfile,
  resultSchema,
}: SubtaskRequest): Pick<SubtaskOptions, "title" | "namedProfile" | "resultSchema"> => ({
  ...(title !== undefined && { title }),
  ...(namedProfile !== undefined && { namedProfile }),
  ...(resultSchema !== undefined && { resultSchema }),
});

/**
 * Give a subtask the permissions that its parent has now, within its restrictions. They may have changed before the host had
 * the subtask (laws GATE and GRANT).
 */
function permitAsParent(
  task: Task,
  { level, rules }: Required<PermissionChange>,
  restrictions: readonly Restriction[],
): void {
  const permissions = { level: restrictedMode(restrictions, level), rules };
  if (!isDeepStrictEqual(permittedTo(task), permissions)) task.changePermissions(permissions);
}

const permittedTo = ({ snapshot: { context } }: Task): Required<PermissionChange> =>
  permissionsOf(context.permissions);

const isSame = (one: Parent | undefined, other: Parent): boolean =>
  one?.taskId === other.taskId && one.callId === other.callId;

const notOwned = (childId: string): SubtaskOutcome =>
  failed(`the id ${childId} belongs to a task that another call started.`);

/** The failure of a subtask that never ran: its parent gets the whole grant back. */
const unspent = (outcome: SubtaskEnd, grant: Grant | undefined): SubtaskEnd =>
  outcome.kind === "failed" && grant !== undefined ? { ...outcome, rest: grant } : outcome;

interface SubtaskRun extends OpenedSubtask {
  readonly journal: (taskId: string) => JournalDriver;
  readonly parent: ParentTask;
  /** The open parent. */
  readonly waiting: Task;
  readonly input: SubtaskInput;
  /** Aborts when the parent no longer waits: that cancels the subtask and closes it. */
  readonly signal: AbortSignal;
  /** Called synchronously with the outcome. */
  readonly onEnd: () => void;
}

/** Run a subtask and resolve with its first outcome, or with the reason why it does not continue now. */
export function runSubtask(run: SubtaskRun): Promise<SubtaskEnd> {
  const { task, waiting, signal, onEnd } = run;
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (outcome: SubtaskEnd): void => {
      if (isSettled) return;
      isSettled = true;
      commits.unsubscribe();
      rests.unsubscribe();
      signal.removeEventListener("abort", stop);
      onEnd();
      resolve(outcome);
    };
    const fail = (error: unknown): void => settle(failedBy(error));
    const stop = (): void => {
      // This cancels the subtask synchronously; the caller of a later `close` receives an error of closing.
      task.closeFor("parent").catch(() => undefined);
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
    let isPausedWith = false;
    const rests = merge(task.events$, waiting.events$).subscribe(() => {
      // A subtask whose request failed works again when it is retried.
      task.pauseWith(waiting);
      isPausedWith = task.isPaused && (isPausedWith || waiting.isPaused);
      if (areBothPaused(run)) settle(PAUSED);
      else if (isPausedWith && !waiting.isPaused && task.snapshot.context.pause === "resting") {
        // The parent was resumed before the subtask, in its background, came to rest.
        isPausedWith = false;
        resumeWithParent(run).then((end) => end !== undefined && settle(end), fail);
      }
    });
    signal.addEventListener("abort", stop);
    startOrResume(run).then((outcome) => outcome !== undefined && settle(outcome), fail);
  });
}

/**
 * The end in a commit. One that is not durable settles the task because its journal failed. A subtask that rests since one of
 * its own can't be opened can't continue either.
 */
function outcomeIn({ commit, durable }: TaskCommit): SubtaskEnd | undefined {
  if (!durable) return failed("its journal could not be written");
  if (!waitsForUnavailable(commit)) return subtaskOutcome(commit);
  const { cause } = commit;
  return unavailable(
    cause?.type === "subtask.unavailable" ? cause.message : "One of its own subtasks can't be opened.",
  );
}

/** Whether the subtask rests because it was paused, and its parent is paused as well. */
const areBothPaused = ({ task, waiting }: SubtaskRun): boolean =>
  waiting.isPaused && task.snapshot.context.pause === "resting";

/**
 * Start or resume a subtask. Returns its end if it ended before its commits were observed, can't be read, or rests with
 * a parent that was paused again.
 */
async function startOrResume(run: SubtaskRun): Promise<SubtaskEnd | undefined> {
  const { task, waiting, prompt, restrictions, journal, parent, input } = run;
  if (task.state.state === "no_task") {
    // Its commits have its end, and the run of its parent its asks.
    const end = task.run(prompt);
    task.pauseWith(waiting);
    await end;
    return undefined;
  }
  const owner = { parentId: parent.id, callId: input.callId };
  const outcome = await readSubtaskOutcome(journal(task.id), owner).catch(unopenedBy);
  if (outcome !== undefined) return outcome;
  const ask = task.log.at(-1)?.ask;
  if (ask === "resume_completed_task") return outcomeByPolicy(task, parent.options, restrictions);
  if (ask !== "resume_task") return undefined;
  return resumeWithParent(run);
}

/** Resume a subtask with its parent, unless it was cancelled in the meantime. */
async function resumeWithParent(run: SubtaskRun): Promise<SubtaskEnd | undefined> {
  const { task, waiting, signal } = run;
  const resume = await firstValueFrom(task.asks$.pipe(filter((open) => open.kind === "resume")));
  if (signal.aborted) return undefined;
  if (areBothPaused(run)) return PAUSED;
  resume.approve();
  task.pauseWith(waiting);
  return undefined;
}

/**
 * The outcome of a subtask whose process ended between its completion ask and the answer: finished, if the policy allows
 * the completion; otherwise a person continues with it.
 */
async function outcomeByPolicy(
  task: Task,
  options: TaskOptions,
  restrictions: readonly Restriction[],
): Promise<SubtaskOutcome | undefined> {
  const { permissions: { judge: policy } = {}, tools } = options;
  const tool = (tools ?? builtinTools()).find(({ ask }) => ask === "completion_result");
  if (tool === undefined || policy === undefined) return undefined;
  const result = task.snapshot.context.result ?? "";
  const { permissions } = task.snapshot.context;
  const description = { text: result, paths: [] };
  const facts = { workspace: task.workspace, description, permissions, subtask: true };
  const verdict = await restrictedPolicy(policy, restrictions)({ tool, input: { result } }, facts);
  return verdict.kind === "allow" ? { kind: "finished", result } : undefined;
}

const failed = (message: string): SubtaskOutcome => ({ kind: "failed", message });
const unavailable = (message: string): SubtaskUnavailable => ({ kind: "unavailable", message });

/** Reasons of a host, which another attempt may not have. */
const HOST_REASONS: ReadonlySet<string> = new Set(["TASK_EXISTS", "TASK_UNKNOWN", "HOST_CLOSED"]);

/**
 * The end of the wait for a subtask that was not opened. A journal that is locked or can't be read says nothing about the
 * subtask: it has not ended (L16). Anything else fails again.
 */
export function unopenedBy(error: unknown): SubtaskEnd {
  if (error instanceof JournalError && error.code !== "JOURNAL_RECORD") return unavailable(error.message);
  if (error instanceof HostError && HOST_REASONS.has(error.code)) return unavailable(error.message);
  return failedBy(error);
}

/** The outcome for an error. A subtask that another caller closed was cancelled. */
function failedBy(error: unknown): SubtaskOutcome {
  if (error instanceof HostError && error.code === "TASK_CLOSED") return CANCELLED;
  return failed(error instanceof Error ? error.message : String(error));
}
