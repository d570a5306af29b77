import path from "node:path";
import { openHistory } from "../../runtime/index.ts";
import type { TaskProblem, TaskSummary } from "../../store/index.ts";
import { formatTime, printable, shortenIds } from "../show/index.ts";
import { withCliErrors } from "../store-error.ts";

export interface ListFlags {
  readonly workspace?: string;
  readonly all?: true;
  readonly limit?: number;
  readonly format: "text" | "json";
  readonly dataDir: string;
}

/** The task history, newest first: a table, or one line of JSON. */
export function listTasks(flags: ListFlags): Promise<string> {
  const { workspace, limit, format, dataDir } = flags;
  return withCliErrors(async () => {
    const history = openHistory({ dataDir });
    const tasks = await history.list({
      ...(workspace !== undefined && { workspace }),
      ...(limit !== undefined && { limit }),
    });
    if (format === "json") return `${JSON.stringify({ type: "tasks", tasks })}\n`;
    return tasks.length === 0 ? "No tasks.\n" : formatTasks(tasks, shortenIds(await history.ids()));
  });
}

/** `list sessions`, in the format of Roo Code: tab-separated, or `{ workspace, sessions }`. */
export function listSessions(flags: ListFlags): Promise<string> {
  const { limit, format, dataDir } = flags;
  const workspace = path.resolve(flags.workspace ?? ".");
  return withCliErrors(async () => {
    const found = await openHistory({ dataDir }).list({ workspace });
    // A subtask is resumed with its root task.
    const tasks = found.filter(({ parentId }) => parentId === undefined).slice(0, limit);
    if (format === "text")
      return tasks
        .map(
          ({ id, createdAt, title }) => `${id}\t${new Date(createdAt).toISOString()}\t${printable(title)}\n`,
        )
        .join("");
    const sessions = tasks.map(({ id, createdAt, title }) => ({ id, ts: createdAt, title }));
    return `${JSON.stringify({ workspace, sessions }, undefined, 2)}\n`;
  });
}

const HEADS = ["id", "updated", "state", "cost", "title"] as const;
/** Maximum characters of a title, so that a line fits a terminal of 80 columns. */
const TITLE_CHARS = 28;

function formatTasks(tasks: readonly TaskSummary[], short: (id: string) => string): string {
  const rows = tasks.map((task) => [
    short(task.id),
    formatTime(task.updatedAt),
    `${formatState(task, task.problem)}${task.heldBy === undefined ? "" : "*"}`,
    `$${task.cost.toFixed(4)}`,
    truncateTitle(printable(task.title)),
  ]);
  const widths = HEADS.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = [[...HEADS], ...rows].map((row) =>
    row
      .map((cell, column) =>
        column === COST ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const isOpen = tasks.some(({ heldBy }) => heldBy !== undefined);
  return `${[...lines, ...(isOpen ? ["* open in a running process"] : [])].join("\n")}\n`;
}

const COST = HEADS.indexOf("cost");

/** Format the state of a task in one word. */
export function formatState(task: Omit<TaskSummary, "problem">, problem?: TaskProblem): string {
  const { state, isInterrupted, isCompleted } = task;
  if (problem !== undefined && problem.kind !== "torn") return problem.kind;
  if (isInterrupted) return "interrupted";
  if (isCompleted) return "completed";
  return state === "waiting_for_input" ? "waiting" : state;
}

const truncateTitle = (title: string): string =>
  title.length <= TITLE_CHARS ? title : `${title.slice(0, TITLE_CHARS - 1).trimEnd()}…`;
