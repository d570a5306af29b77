import { homedir } from "node:os";
import path from "node:path";
import { Argument, Option } from "commander";
import { printable } from "../../client/printable/printable.ts";
import { formatAge } from "../../present/age.ts";
import { type GroupedTask, groupTasks, type TaskRow } from "../../present/task-groups.ts";
import { TASK_GROUP_LABELS, type TaskStatus, taskStatus } from "../../present/task-status.ts";
import { durationOf, sinceOf } from "../../present/task-times.ts";
import type { TaskSummary } from "../../store/task-history/summary.ts";
import { count } from "../arguments.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import type { ChoiceFlags } from "../list/choices.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { formatCost, formatOrigin, shortenIds } from "../show/format.ts";
import { addTaskStoreOptions, type TaskStoreFlags, withTaskStore } from "../task-store.ts";
import type { Define } from "./command.ts";

interface ListFlags extends ChoiceFlags, TaskStoreFlags {
  readonly all?: true;
  readonly limit?: number;
  readonly dataDir: string;
}

const LISTS = ["tasks", "sessions", "commands", "modes", "models"] as const;
type List = (typeof LISTS)[number];

export const define: Define = (command, { io, print }) => {
  command
    .addArgument(new Argument("[what]", "tasks, sessions, commands, modes or models").choices([...LISTS]))
    .option(
      "-w, --workspace <dir>",
      "tasks of this workspace; the folder of commands and modes (default: this folder)",
    )
    .addOption(new Option("--all", "tasks of all workspaces").conflicts("workspace"))
    .addOption(new Option("-e, --extension <path>", "accepted and ignored, for compatibility").hideHelp())
    .addOption(new Option("-k, --api-key <key>", "accepted and ignored, for compatibility").hideHelp())
    .addOption(new Option("-d, --debug", "accepted and ignored, for compatibility").hideHelp())
    .option("--limit <n>", "maximum number of entries", count)
    .option(...DATA_DIR)
    .addOption(textOrJson());
  addTaskStoreOptions(command).action(async (what: List | undefined, flags: ListFlags) =>
    print(await formatList(what ?? "tasks", flags, io)),
  );
};

async function formatList(what: List, flags: ListFlags, io: Io): Promise<string> {
  if (flags.database !== undefined && what !== "tasks" && what !== "sessions")
    throw new CliError(`--database has tasks and sessions, but ${what} are in files. Omit --database.`);
  switch (what) {
    case "tasks":
      return listTasks(flags, io);
    case "sessions":
      return listSessions(flags, io);
    // The modules of settings and models: a list of tasks is fast.
    case "commands":
      return (await import("../list/choices.ts")).listCommands(flags, io);
    case "modes":
      return (await import("../list/modes.ts")).listModes(flags);
    case "models":
      return (await import("../list/choices.ts")).listModels(flags, io);
  }
}

/**
 * The tasks of a workspace, or with `--all` of each: a table of trees in groups, or one line of JSON with the newest
 * first.
 */
function listTasks(flags: ListFlags, io: Io): Promise<string> {
  const { columns } = io.stdout;
  const { all, limit, format } = flags;
  const workspace = all === true ? undefined : path.resolve(flags.workspace ?? ".");
  return withTaskStore(flags, io, async ({ history, commandLine }) => {
    const tasks = await history.list({
      ...(workspace !== undefined && { workspace }),
      ...(limit !== undefined && { limit }),
    });
    if (format === "json") return `${JSON.stringify({ type: "tasks", tasks })}\n`;
    const ids = await history.ids();
    if (tasks.length > 0)
      return formatTasks(tasks, shortenIds(ids), { columns, isOfAll: workspace === undefined });
    return ids.length === 0 || workspace === undefined
      ? "No tasks.\n"
      : `No tasks in ${printable(workspace)}. To list all workspaces: ${commandLine(["list", "--all"])}\n`;
  });
}

/** `list sessions`, in the format of Roo Code: tab-separated, or `{ workspace, sessions }`. */
function listSessions(flags: ListFlags, io: Io): Promise<string> {
  const { limit, format } = flags;
  const workspace = path.resolve(flags.workspace ?? ".");
  return withTaskStore(flags, io, async ({ history }) => {
    const found = await history.list({ workspace });
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

const HEADS = ["id", "state", "since", "duration", "requests", "cost", "mode", "workspace", "title"] as const;
type Head = (typeof HEADS)[number];
/** A terminal with fewer columns has no modes, durations and requests. */
const COLUMNS_MIN = 80;
/** A title has at least this width, or lines of its own. */
const TITLE_CHARS_MIN = 24;
const MODE_CHARS = 9;
const GAP = "  ";

interface TableOptions {
  /** The width of a terminal, in which the titles are wrapped. Undefined: a line for each task. */
  readonly columns: number | undefined;
  /** Whether the tasks are of several workspaces: then each is named. */
  readonly isOfAll: boolean;
}

async function formatTasks(
  tasks: readonly TaskSummary[],
  short: (id: string) => string,
  { columns, isOfAll }: TableOptions,
): Promise<string> {
  const isNarrow = columns !== undefined && columns < COLUMNS_MIN;
  const measure = columns === undefined ? PLAIN : await terminalMeasure(columns);
  const now = Date.now();
  const sections = groupTasks(tasks.map(listed), (a, b) => b.task.updatedAt - a.task.updatedAt);
  const cells = new Map(
    sections.flatMap(({ rows }) => rows.map((row) => [row, cellsOf(row, short, now)] as const)),
  );
  const texts = [...cells.values()];
  const fixedOf = (hidden: readonly Head[]): readonly FixedColumn[] =>
    HEADS.slice(0, -1)
      .filter((head) => !hidden.includes(head) && texts.some((cell) => cell[head] !== ""))
      .map((head) => ({
        head,
        width: texts.reduce((most, cell) => Math.max(most, measure.width(cell[head])), head.length),
      }));
  const hidden: readonly Head[] = isNarrow ? ["mode", "duration", "requests"] : [];
  const all = fixedOf(isOfAll ? hidden : [...hidden, "workspace"]);
  // A workspace that does not fit beside the other columns stands behind the title.
  const isBehind = isOfAll && widthOf(all) > measure.columns;
  const fixed = isBehind ? fixedOf([...hidden, "workspace"]) : all;
  const heads = [...fixed.map(({ head }) => head), "title"];
  const lineOf = (cell: Record<Head, string>): readonly string[] => [
    ...fixed.map(({ head }) => cell[head]),
    isBehind && cell.workspace !== "" ? `${cell.title}  (in ${cell.workspace})` : cell.title,
  ];
  const lines = [
    ...formatRow(heads, fixed, measure),
    ...sections.flatMap(({ group, count, rows }) => [
      `${TASK_GROUP_LABELS[group]}: ${count}`,
      ...rows.flatMap((row) => {
        const cell = cells.get(row);
        return cell === undefined ? [] : formatRow(lineOf(cell), fixed, measure);
      }),
    ]),
  ];
  const isOpen = tasks.some(({ heldBy }) => heldBy !== undefined);
  return `${[...lines, ...(isOpen ? ["* open in a running process"] : [])].join("\n")}\n`;
}

interface FixedColumn {
  readonly head: Head;
  readonly width: number;
}

const widthOf = (columns: readonly FixedColumn[]): number =>
  columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);

/** A task with its status. */
interface Listed extends GroupedTask {
  readonly task: TaskSummary;
  readonly status: TaskStatus;
}

function listed(task: TaskSummary): Listed {
  const status = taskStatus(task);
  const { id, parentId } = task;
  return { id, ...(parentId !== undefined && { parentId }), group: status.group, task, status };
}

function cellsOf(
  { task: { task, status }, depth }: TaskRow<Listed>,
  short: (id: string) => string,
  now: number,
): Record<Head, string> {
  const { createdAt, updatedAt, ask } = task;
  const times = { group: status.group, createdAt, updatedAt, askedAt: ask?.askId };
  const reason = status.reason === "" ? "" : `  (${printable(status.reason)})`;
  return {
    id: short(task.id),
    state: `${status.word}${task.heldBy === undefined ? "" : "*"}`,
    since: formatAge(now - sinceOf(times)),
    duration: formatAge(durationOf(times, now)),
    requests: task.requests === undefined ? "" : String(task.requests),
    cost: task.cost === null ? "unknown" : (formatCost(task) ?? ""),
    mode: truncate(printable(task.mode ?? ""), MODE_CHARS),
    workspace: printable(formatWorkspace(task.workspace)),
    title: `${"  ".repeat(depth)}${printable(task.title)}${reason}${formatOrigin(task, short)}`,
  };
}

/** How texts are fitted in the width of the output. */
interface Measure {
  readonly columns: number;
  width(text: string): number;
  wrap(text: string, columns: number): readonly string[];
}

const PLAIN: Measure = {
  columns: Number.POSITIVE_INFINITY,
  width: (text) => text.length,
  wrap: (text) => [text],
};

/** Loaded where it is needed: a list for a program is fast. */
async function terminalMeasure(columns: number): Promise<Measure> {
  const { default: stringWidth } = await import("string-width");
  const { default: wrapAnsi } = await import("wrap-ansi");
  const wrap: Measure["wrap"] = (text, width) => wrapAnsi(text, width, { hard: true }).split("\n");
  return { columns, width: (text) => stringWidth(text), wrap };
}

function formatRow(
  row: readonly string[],
  fixed: readonly FixedColumn[],
  { columns, width, wrap }: Measure,
): readonly string[] {
  const cells = fixed.map(({ head, width: most }, column) => {
    const cell = row[column] ?? "";
    const space = " ".repeat(Math.max(0, most - width(cell)));
    return NUMBERS.has(head) ? `${space}${cell}` : `${cell}${space}`;
  });
  const start = `${cells.join(GAP)}${GAP}`;
  const title = row.at(-1) ?? "";
  const left = columns - width(start);
  if (left >= Math.min(TITLE_CHARS_MIN, width(title))) {
    const [first = "", ...rest] = wrap(title, left);
    return [`${start}${first}`, ...rest.map((line) => `${" ".repeat(width(start))}${line}`)];
  }
  return [start.trimEnd(), ...wrap(title, Math.max(1, columns - GAP.length)).map((line) => `${GAP}${line}`)];
}

const NUMBERS: ReadonlySet<Head> = new Set(["since", "duration", "requests", "cost"]);

/** The home folder is `~`. */
function formatWorkspace(workspace = ""): string {
  const inHome = path.relative(homedir(), workspace);
  if (workspace === "" || inHome.startsWith("..") || path.isAbsolute(inHome)) return workspace;
  return inHome === "" ? "~" : `~${path.sep}${inHome}`;
}

const truncate = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars - 1).trimEnd()}…`;
