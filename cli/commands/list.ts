import path from "node:path";
import { openHistory } from "../../runtime/index.ts";
import type { TaskProblem, TaskSummary } from "../../store/index.ts";
import { printable, sayTime, shortIds } from "../show/index.ts";
import { inWords } from "./history-error.ts";

export interface ListFlags {
  readonly workspace?: string;
  readonly all?: true;
  readonly limit?: number;
  readonly format: "text" | "json";
  readonly dataDir: string;
}

/** The tasks on disk, newest first: a table for people, or one line of JSON. */
export function list(flags: ListFlags): Promise<string> {
  const { workspace, limit, format, dataDir } = flags;
  return inWords(async () => {
    const history = openHistory({ dataDir });
    const tasks = await history.list({
      ...(workspace !== undefined && { workspace }),
      ...(limit !== undefined && { limit }),
    });
    if (format === "json") return `${JSON.stringify({ type: "tasks", tasks })}\n`;
    return tasks.length === 0 ? "There are no tasks.\n" : table(tasks, shortIds(await history.ids()));
  });
}

/** `list sessions`, as clients of the frozen product know it: tab-separated, or `{ workspace, sessions }`. */
export function listSessions(flags: ListFlags): Promise<string> {
  const { limit, format, dataDir } = flags;
  const workspace = path.resolve(flags.workspace ?? ".");
  return inWords(async () => {
    const found = await openHistory({ dataDir }).list({ workspace });
    // A subtask goes on with the task that it works for.
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
/** So that a line of the usual ids fits a terminal of 80 characters. */
const TITLE_CHARS = 28;

function table(tasks: readonly TaskSummary[], short: (id: string) => string): string {
  const rows = tasks.map((task) => [
    short(task.id),
    sayTime(task.updatedAt),
    `${sayState(task, task.problem)}${task.heldBy === undefined ? "" : "*"}`,
    `$${task.cost.toFixed(4)}`,
    cut(printable(task.title)),
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
  return `${[...lines, ...(isOpen ? ["* open in a process now"] : [])].join("\n")}\n`;
}

const COST = HEADS.indexOf("cost");

/** One word of how a task stands. */
export function sayState(task: Omit<TaskSummary, "problem">, problem?: TaskProblem): string {
  const { state, isInterrupted, isCompleted } = task;
  if (problem !== undefined && problem.kind !== "torn") return problem.kind;
  if (isInterrupted) return "interrupted";
  if (isCompleted) return "completed";
  return state === "waiting_for_input" ? "waiting" : state;
}

const cut = (title: string): string =>
  title.length <= TITLE_CHARS ? title : `${title.slice(0, TITLE_CHARS - 1).trimEnd()}…`;
