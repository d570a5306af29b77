import { filter, firstValueFrom } from "rxjs";
import type { ActorInputs } from "../machines/task/index.ts";
import type { SubtaskEnd } from "../machines/tool-call/index.ts";
import { endIn, type JournalDriver, recallTask, subtaskEnd } from "../store/index.ts";
import { builtinTools, subtaskOf } from "../tools/index.ts";
import type { JournalHeader } from "../wire/index.ts";
import { HostError } from "./errors.ts";
import type { TaskOptions } from "./host-options.ts";
import type { TaskCommit } from "./shown-task.ts";
import type { Task } from "./task.ts";

type Parent = NonNullable<JournalHeader["parent"]>;
type Input = ActorInputs["subtask"];

/** Who a task is to its subtasks. */
export interface Elder {
  readonly id: string;
  readonly rootId: string;
  /** What it was opened with: its subtasks inherit that. */
  readonly options: TaskOptions;
}

/** Where subtasks are made and opened. */
export interface Nursery {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly journal: (taskId: string) => JournalDriver;
  create(id: string, options: TaskOptions, parent: Parent): Promise<Task>;
  open(id: string, options: TaskOptions): Promise<Task>;
}

interface Begun {
  readonly task: Task;
  /** Its first words, where it has yet to begin. */
  readonly prompt: string;
}

export const CANCELLED: SubtaskEnd = { kind: "cancelled" };

/** The subtask of a call as a task of this host, or the end that it has come to already (L16). */
export async function beginSubtask(
  { tasks, journal, create, open }: Nursery,
  { id, rootId, options }: Elder,
  { callId, childId, name, input }: Input,
): Promise<Begun | SubtaskEnd> {
  const work = subtaskOf(input);
  if (work === undefined) return failed(`${name} needs the arguments of new_task: mode and message.`);
  const { prompt, mode } = work;
  const parent = { taskId: id, rootId, callId };
  const { id: _, ...inherited } = options;
  const known = tasks.get(childId);
  if (known !== undefined) return isSame(known.parent, parent) ? { task: known, prompt } : foreign(childId);
  const driver = journal(childId);
  const header = (await recallTask(driver, { until: 0 }))?.header;
  if (header === undefined) return { task: await create(childId, { ...inherited, mode }, parent), prompt };
  if (!isSame(header.parent, parent)) return foreign(childId);
  const end = await subtaskEnd(driver, { parentId: id, callId });
  return end ?? { task: await open(childId, { ...inherited, mode }), prompt };
}

const isSame = (one: Parent | undefined, other: Parent): boolean =>
  one?.taskId === other.taskId && one.callId === other.callId;

const foreign = (childId: string): SubtaskEnd =>
  failed(`the id ${childId} belongs to a task that was not begun by this call.`);

/** A subtask at its work, and who waits for it. */
interface Work extends Begun {
  readonly journal: (taskId: string) => JournalDriver;
  readonly elder: Elder;
  readonly input: Input;
  /** Aborts when nobody waits any more: that cancels the subtask and closes it. */
  readonly signal: AbortSignal;
  /** Called in the moment of the end. */
  readonly onEnd: () => void;
}

/** Sets a subtask to work and resolves with its first end. */
export function firstEnd(work: Work): Promise<SubtaskEnd> {
  const { task, signal, onEnd } = work;
  return new Promise((resolve) => {
    let isOver = false;
    const settle = (end: SubtaskEnd): void => {
      if (isOver) return;
      isOver = true;
      heard.unsubscribe();
      signal.removeEventListener("abort", stop);
      onEnd();
      resolve(end);
    };
    const fail = (error: unknown): void => settle(failedBy(error));
    const stop = (): void => {
      // It is cancelled at once; how its closing ends is for whoever waits for that.
      task.close().catch(() => undefined);
      settle(CANCELLED);
    };
    const heard = task.events$.subscribe({
      next: (shown) => {
        const end = endShown(shown);
        if (end !== undefined) settle(end);
      },
      // Nothing follows: it says itself why.
      complete: () => void task.rested().catch(fail),
    });
    signal.addEventListener("abort", stop);
    setToWork(work).then((end) => end !== undefined && settle(end), fail);
  });
}

/** A commit that is not durable shows a rest that is due to the journal, whatever else it tells. */
const endShown = ({ commit, durable }: TaskCommit): SubtaskEnd | undefined =>
  durable ? endIn(commit) : failed("its journal could not be written");

/** Lets it begin, or go on; gives its end, if it has come to one before anybody listened. */
async function setToWork({ task, prompt, journal, elder, input }: Work): Promise<SubtaskEnd | undefined> {
  if (task.state.state === "no_task") {
    await task.run(prompt);
    return undefined;
  }
  const end = await subtaskEnd(journal(task.id), { parentId: elder.id, callId: input.callId });
  if (end !== undefined) return end;
  const ask = task.log.at(-1)?.ask;
  if (ask === "resume_completed_task") return offeredBefore(task, elder.options);
  if (ask !== "resume_task") return undefined;
  // The parent's resume stands for its own.
  const resume = await firstValueFrom(task.asks$.pipe(filter((open) => open.kind === "resume_task")));
  resume.resume();
  return undefined;
}

/**
 * Its process ended between the offer of its completion and the answer. What the policy would have allowed then it
 * allows now; otherwise a person goes on with it.
 */
async function offeredBefore(task: Task, { policy, tools }: TaskOptions): Promise<SubtaskEnd | undefined> {
  const tool = (tools ?? builtinTools()).find(({ ask }) => ask === "completion_result");
  if (tool === undefined || policy === undefined) return undefined;
  const result = task.snapshot.context.result ?? "";
  const facts = { workspace: task.workspace, description: { text: result, paths: [] }, subtask: true };
  const verdict = await policy({ tool, input: { result } }, facts);
  return verdict.kind === "allow" ? { kind: "finished", result } : undefined;
}

const failed = (message: string): SubtaskEnd => ({ kind: "failed", message });

/** One that is closed by whoever has it open was cancelled by them. */
export function failedBy(error: unknown): SubtaskEnd {
  if (error instanceof HostError && error.code === "TASK_CLOSED") return CANCELLED;
  return failed(error instanceof Error ? error.message : String(error));
}
