import { filter } from "rxjs";
import { printable } from "../../client/printable/printable.ts";
import { dottedPath, topState } from "../../machines/message/states.ts";
import { formatSubtaskInText } from "../../present/subtask-name.ts";
import type { Host } from "../../runtime/host.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import { HostError } from "../../runtime/task/errors.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { errorMessage } from "../error.ts";

/** The parts of the host that an interface uses: the subtasks of the task that is run. */
export type RunHost = Pick<Host, "opened$" | "stack" | "focus">;

/** The descendants of this task, as they are opened. */
export const subtasksOf = (task: Task, { opened$ }: RunHost) =>
  opened$.pipe(filter((opened) => opened.rootId === task.id && opened !== task));

/** Whether the interface of `root` answers this ask. The resume of a subtask is answered with its parent's. */
export function isHandledHere(task: Task, root: Task, kind: Ask["kind"], { stack }: RunHost): boolean {
  return task === root || (kind !== "resume" && stack(task.id)[0] === root);
}

/** Whether the task does something of its own now: it neither rests, nor waits for a person, nor for its subtasks. */
export const isAtWork = ({ isOpen, snapshot: { value } }: Task): boolean => {
  const path = dottedPath(value);
  const state = topState(path);
  return isOpen && (state === "streaming" || state === "running") && path !== "running.delegated";
};

/** The number of a subtask in its tree: 2.1 is the first subtask of the second. */
export const subtaskNumber = ({ id, rootId }: Pick<Task, "id" | "rootId">): string =>
  id.slice(rootId.length + 1);

/** The name of a subtask within a sentence, for a terminal: `subtask 2.1 (The docs)`. */
export const subtaskLabel = (task: Pick<Task, "id" | "rootId" | "title">): string =>
  printable(formatSubtaskInText(subtaskNumber(task), task.title));

/** The result that the task was completed with in this commit. */
export function completionResult({ commit }: Pick<TaskCommit, "commit">): string | undefined {
  return commit.reports.find((report) => report.type === "task.completed")?.result;
}

/**
 * Run the task; without a prompt, resume an interrupted one. The end is reported by its asks.
 *
 * @param fail called with the reason why the task does not run
 */
export function startTask(
  task: Task,
  prompt: string | undefined,
  isResumed: boolean,
  fail: (message: string) => void,
): void {
  const ask = isResumed ? task.asks.at(-1) : undefined;
  if (ask?.kind === "resume" && prompt === undefined) {
    const result = ask.approve();
    if (!result.ok) fail(result.message);
  } else
    task.run(prompt ?? "").catch((error: unknown) => {
      // A task that is closed before it settles has its end elsewhere.
      if (!(error instanceof HostError && error.code === "TASK_CLOSED")) fail(errorMessage(error));
    });
}
