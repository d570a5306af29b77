import { filter } from "rxjs";
import type { Host, Task } from "../../runtime/index.ts";

/** What a front needs of the host: the tasks that come with the one that is run. */
export type Household = Pick<Host, "opened$" | "stack" | "focus">;

/** Each subtask of this task, also those below them, as it is opened. */
export const subtasksOf = (task: Task, { opened$ }: Household) =>
  opened$.pipe(filter((opened) => opened.rootId === task.id && opened !== task));

/** Whether the person before `root` deals with this task. A subtask's resume is its parent's, and answered with it. */
export function isDealtWith(task: Task, root: Task, ask: string, { stack }: Household): boolean {
  return task === root || (ask !== "resume_task" && stack(root.id).includes(task));
}

/** A subtask's number in its family: 2.1 is the first subtask of the second. */
export const numberOf = ({ id, rootId }: Task): string => id.slice(rootId.length + 1);

/** The result that the task was completed with in this commit. */
export function completedIn({
  commit,
}: {
  readonly commit: { readonly reports: readonly { readonly type: string; readonly result?: string }[] };
}): string | undefined {
  return commit.reports.find(({ type }) => type === "task.completed")?.result;
}
