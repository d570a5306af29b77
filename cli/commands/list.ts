import path from "node:path";
import { printable } from "../../client/printable/index.ts";
import { openHistory } from "../../runtime/task-history/index.ts";
import type { TaskProblem, TaskSummary } from "../../store/index.ts";
import { formatCount, formatTime, shortenIds } from "../show/format.ts";
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

const HEADS = ["id", "updated", "state", "mode", "tokens", "cost", "title"] as const;
/** Columns of a terminal; a title is cut to fit in, but not below its minimum. */
const LINE_CHARS = 80;
const TITLE_CHARS_MIN = 12;
const MODE_CHARS = 9;
const GAP = "  ";

function formatTasks(tasks: readonly TaskSummary[], short: (id: string) => string): string {
  const rows = tasks.map((task) => [
    short(task.id),
    formatTime(task.updatedAt),
    `${formatState(task, task.problem)}${task.heldBy === undefined ? "" : "*"}`,
    truncate(printable(task.mode ?? ""), MODE_CHARS),
    formatCount(task.tokensIn + task.cacheWrites + task.cacheReads + task.tokensOut),
    task.cost === null ? "unknown" : `$${task.cost.toFixed(4)}`,
    printable(task.title),
  ]);
  const widths = HEADS.slice(0, TITLE).map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const before = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const titleChars = Math.max(TITLE_CHARS_MIN, LINE_CHARS - before);
  const lines = [[...HEADS], ...rows].map((row) =>
    row
      .map((cell, column) => {
        if (column === TITLE) return truncate(cell, titleChars);
        const width = widths[column] ?? 0;
        return NUMBERS.has(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join(GAP)
      .trimEnd(),
  );
  const isOpen = tasks.some(({ heldBy }) => heldBy !== undefined);
  return `${[...lines, ...(isOpen ? ["* open in a running process"] : [])].join("\n")}\n`;
}

const TITLE = HEADS.indexOf("title");
const NUMBERS: ReadonlySet<number> = new Set([HEADS.indexOf("tokens"), HEADS.indexOf("cost")]);

/** Format the state of a task in one word. */
export function formatState(task: Omit<TaskSummary, "problem">, problem?: TaskProblem): string {
  const { state, rest, isInterrupted } = task;
  if (problem !== undefined && problem.kind !== "torn") return problem.kind;
  if (isInterrupted) return "interrupted";
  if (rest !== undefined && rest !== "interrupted") return rest;
  return state === "waiting_for_input" ? "waiting" : state;
}

const truncate = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars - 1).trimEnd()}…`;
