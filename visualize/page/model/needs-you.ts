import type { TaskInfo } from "../../../wire/http/api.ts";
import { grouped } from "./format.ts";
import { listedTask, parentsOf } from "./listed-task.ts";

/** The tasks that need a person. */
export const tasksNeedingYou = (tasks: readonly TaskInfo[] = []): readonly TaskInfo[] =>
  tasks.filter((task) => listedTask(task).group === "needs_you");

/** `1 needs you`, `2 need you`. */
export const needsYouText = (count: number): string =>
  `${grouped(count)} ${count === 1 ? "needs" : "need"} you`;

/** The subtasks that need a person, at any depth below a task, in the order of their numbers. */
export function subtasksNeedingYou(
  task: TaskInfo | undefined,
  tasks: readonly TaskInfo[] = [],
): readonly TaskInfo[] {
  if (task === undefined) return [];
  const subtasks = tasks.filter(({ parentId }) => parentId !== undefined);
  return tasksNeedingYou(subtasks)
    .filter((one) => parentsOf(one, tasks).includes(task))
    .toSorted((one, other) => BY_NUMBER.compare(one.id, other.id));
}

const BY_NUMBER = new Intl.Collator("en", { numeric: true });
