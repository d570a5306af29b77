import { filter } from "rxjs";
import type { Host, Task } from "../../runtime/index.ts";

/** The parts of the host that an interface uses: the subtasks of the task that is run. */
export type RunHost = Pick<Host, "opened$" | "stack" | "focus">;

/** The descendants of this task, as they are opened. */
export const subtasksOf = (task: Task, { opened$ }: RunHost) =>
  opened$.pipe(filter((opened) => opened.rootId === task.id && opened !== task));

/** Whether the interface of `root` answers this ask. The resume of a subtask is answered with its parent's. */
export function isHandledHere(task: Task, root: Task, ask: string, { stack }: RunHost): boolean {
  return task === root || (ask !== "resume_task" && stack(root.id).includes(task));
}

/** The number of a subtask in its tree: 2.1 is the first subtask of the second. */
export const subtaskNumber = ({ id, rootId }: Task): string => id.slice(rootId.length + 1);

/** The result that the task was completed with in this commit. */
export function completionResult({
  commit,
}: {
  readonly commit: { readonly reports: readonly { readonly type: string; readonly result?: string }[] };
}): string | undefined {
  return commit.reports.find(({ type }) => type === "task.completed")?.result;
}
