import { oneLine } from "../../../present/one-line.ts";
import { IN_BACKGROUND } from "../../../present/subtask-name.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { headOf } from "../text/printable.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";

/** The titles in the list of tasks, by the ids of the tasks. */
export type Titles = ReadonlyMap<string, string>;

export const NO_TITLES: Titles = new Map();

/** The titles of the tasks: the same map as before while no title changes. */
export function titlesOf(tasks: readonly TaskInfo[], before: Titles): Titles {
  const isSame = tasks.length === before.size && tasks.every(({ id, title }) => before.get(id) === title);
  return isSame ? before : new Map(tasks.map(({ id, title }) => [id, title]));
}

/** A subtask as every pane names it. */
export interface SubtaskName {
  /** Its place among the subtasks: `2`, or `2.1` for the first subtask of the second. */
  readonly number: string;
  /** Empty: it has none. */
  readonly title: string;
  /** Whether its parent goes on while it works. */
  readonly isBeside?: boolean | undefined;
}

/** The number and the title of a subtask, as in `2 Run the tests` or, in the background, `2 (background) Run the tests`. */
export function subtaskLabel({ number, title, isBeside }: SubtaskName): string {
  const marked = markedTitle(title, isBeside);
  return marked === "" ? number : `${number} ${marked}`;
}

/** The title of a task behind the mark of a subtask in the background: a long title does not hide the mark. */
export const markedTitle = (title: string, isBeside = false): string =>
  isBeside ? `(${IN_BACKGROUND}) ${title}`.trimEnd() : title;

/** The name of a task in a sentence: a subtask below `above` has its number and title, any other task its title or its id. */
export function nameBelow(
  taskId: string,
  title: string | undefined,
  above: string,
  isBeside?: boolean,
): string {
  const name = { ...subtaskName(taskId, title, above), isBeside };
  return name.number === taskId && name.title !== "" ? markedTitle(name.title, isBeside) : subtaskLabel(name);
}

/** The name of a subtask below a task, by its title in the list. */
export const subtaskName = (taskId: string, title: string | undefined, above: string): SubtaskName => ({
  number: numberIn(taskId, above),
  title: title === taskId ? "" : titleLine(title),
});

/** The number of a subtask below a task: the end of its id. A damaged journal may name any task. */
export const numberIn = (taskId: string, above: string): string =>
  taskId.startsWith(`${above}.`) ? taskId.slice(above.length + 1) : taskId;

/** The title of a recorded task: its own, or else its prompt. */
export function titleIn(trace: TraceSnapshot): string | undefined {
  const { record } = trace.event(0);
  const [first] = trace.index.turns;
  const title = record.kind === "header" ? record.title : undefined;
  return title ?? (first?.by === "person" ? first.text : undefined);
}

const TITLE_CHARS_MAX = 80;

/** The first line of a title, as far as it is shown. */
export function titleLine(title = ""): string {
  const line = oneLine(title.trimStart().split("\n", 1)[0] ?? "");
  return line.length <= TITLE_CHARS_MAX ? line : `${headOf(line, TITLE_CHARS_MAX - 1).trimEnd()}…`;
}
