import { formatAge } from "../../../../present/age.ts";
import { formatOwnFiles } from "../../../../present/own-files.ts";
import { durationOf, sinceOf } from "../../../../present/task-times.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { costText, grouped } from "../../model/format.ts";
import type { ListedTask } from "../../model/listed-task.ts";

export type ColumnName =
  | "status"
  | "title"
  | "reason"
  | "workspace"
  | "since"
  | "duration"
  | "requests"
  | "cost"
  | "mode"
  | "model";

/** A column of the task table. */
export interface Column {
  readonly name: ColumnName;
  readonly head: string;
  /** The meaning of its cells, where the head does not say it. */
  readonly about?: string;
  readonly isNumber?: true;
  /** The value by which tasks are sorted; undefined: last. */
  readonly sortBy: (task: ListedTask, now: number) => string | number | undefined;
  /** The text of a cell; empty: nothing is known. */
  readonly text: (task: ListedTask, now: number) => string;
}

const ownFilesText = ({ files, parentId }: TaskInfo): string =>
  files === undefined ? "" : formatOwnFiles(files, parentId);

/** The columns, from left to right. */
export const COLUMNS: readonly Column[] = [
  { name: "status", head: "State", sortBy: ({ status }) => status.name, text: ({ status }) => status.word },
  {
    name: "title",
    head: "Title",
    sortBy: ({ info }) => info.title.toLowerCase(),
    text: ({ info }) => info.title,
  },
  {
    name: "reason",
    head: "Reason",
    sortBy: ({ status }) => status.reason || undefined,
    text: ({ status, info }) => [status.reason, ownFilesText(info)].filter((part) => part !== "").join(" · "),
  },
  {
    name: "workspace",
    head: "Workspace",
    sortBy: ({ info }) => info.workspace,
    text: ({ info }) => info.workspace?.split(/[\\/]/).findLast((name) => name !== "") ?? "",
  },
  {
    name: "since",
    head: "Since",
    about: "How long it has waited for you; for other tasks, the time since the last event",
    isNumber: true,
    sortBy: ({ times }) => -sinceOf(times),
    text: ({ times }, now) => formatAge(now - sinceOf(times)),
  },
  {
    name: "duration",
    head: "Duration",
    about: "From its start to its last event. The bars are logarithmic",
    isNumber: true,
    sortBy: ({ times }, now) => durationOf(times, now),
    text: ({ times }, now) => formatAge(durationOf(times, now)),
  },
  {
    name: "requests",
    head: "Requests",
    about: "Requests since a person last extended its limits",
    isNumber: true,
    sortBy: ({ info }) => info.requests,
    text: ({ info }) => (info.requests === undefined ? "" : grouped(info.requests)),
  },
  {
    name: "cost",
    head: "Cost",
    isNumber: true,
    sortBy: ({ info }) => info.cost ?? undefined,
    text: ({ info }) => (info.cost === null ? "unknown" : costText(info.cost)),
  },
  { name: "mode", head: "Mode", sortBy: ({ info }) => info.mode, text: ({ info }) => info.mode ?? "" },
  { name: "model", head: "Model", sortBy: ({ info }) => info.model, text: ({ info }) => info.model ?? "" },
];

/** The columns in which at least one task has a text. */
export const columnsOf = (tasks: readonly ListedTask[], now: number): readonly Column[] =>
  COLUMNS.filter(({ text }) => tasks.some((task) => text(task, now) !== ""));

/** The order of a table. */
export interface Order {
  readonly by: ColumnName;
  readonly isAscending: boolean;
}

/** The tasks with the newest events first. */
export const NEWEST_FIRST: Order = { by: "since", isAscending: true };

/** Compare two tasks by a column; tasks without a value are last, and equal ones are ordered by id. */
export function compareBy({ by, isAscending }: Order, now: number): (a: ListedTask, b: ListedTask) => number {
  const sortBy = COLUMNS.find(({ name }) => name === by)?.sortBy ?? (({ id }) => id);
  const sign = isAscending ? 1 : -1;
  return (a, b) => {
    const [left, right] = [sortBy(a, now), sortBy(b, now)];
    if (left !== right) {
      if (left === undefined) return 1;
      if (right === undefined) return -1;
      return left < right ? -sign : sign;
    }
    return a.id < b.id ? -1 : 1;
  };
}
