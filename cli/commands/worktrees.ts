import type { Command } from "commander";
import { Option } from "commander";
import type { Isolation } from "../../adapters/isolation/isolation.ts";
import type { IsolationRecord } from "../../adapters/isolation/record.ts";
import { openWorkspace } from "../../adapters/workspace/workspace.ts";
import { printable } from "../../client/printable/printable.ts";
import { CONFLICT_CHOICES, type ConflictChoice, type MergeConflict } from "../../ports/subtask-files.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { matchIds } from "../../store/task-history/lookup.ts";
import { ToolError } from "../../tools/error.ts";
import { formatCommandLine } from "../command-line.ts";
import { confirm } from "../confirmation.ts";
import { CliError, EXIT, errorMessage } from "../error.ts";
import type { Io } from "../io.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { changedIn, filesChanged, formatChanged, openIsolation } from "../run/worktree.ts";
import { formatFilesEnd } from "../show/files-end.ts";
import { formatTime } from "../show/format.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface Flags {
  readonly dataDir: string;
}
interface ListFlags extends Flags {
  readonly format: "text" | "json";
}
interface MergeFlags extends Flags {
  readonly workspace?: string;
  readonly conflicts: ConflictChoice;
}
interface DropFlags extends Flags {
  readonly yes?: true;
}

export const define: Define = (worktrees, { io, end, print }) => {
  const add = (name: string, summary: string): Command =>
    worktrees
      .command(name)
      .description(summary)
      .option(...DATA_DIR);
  add("list", "list the worktrees and copies of tasks that are neither merged nor dropped")
    .addOption(textOrJson())
    .action(async (flags: ListFlags) => print(await list(flags)));
  add("diff", "show what a task changed")
    .argument("<id>", "task id, or a prefix of it")
    .action(async (id: string, flags: Flags) => print(await diff(id, flags)));
  add("merge", "merge what a task changed into the folder that its files are from, without a commit")
    .argument("<id>", "task id, or a prefix of it")
    .addOption(
      new Option(
        "--conflicts <choice>",
        "files that both changed: stop merges nothing, mark writes both with markers, keep keeps the folder's, take takes the task's",
      )
        .choices(CONFLICT_CHOICES)
        .default("stop"),
    )
    .option("-w, --workspace <dir>", "folder to merge into (default: the one that the files are from)")
    .action(async (id: string, flags: MergeFlags) => end(await merge(id, flags, io)));
  add("drop", "remove the files of a task without a merge")
    .argument("<id>", "task id, or a prefix of it")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id: string, flags: DropFlags) => end(await drop(id, flags, io)));
};

/** `worktrees list`: title, id, changes, creation, source and folder of each, tab-separated below a header; or as JSON. */
async function list({ dataDir, format }: ListFlags): Promise<string> {
  const isolation = openIsolation(dataDir);
  const records = await withToolErrors(() => isolation.list());
  const rows: Row[] = [];
  for (const record of records) {
    const [changed, title] = [await changedIn(isolation, record), await titleOf(record, dataDir)];
    rows.push({ record, changed, ...(title !== undefined && { title }) });
  }
  if (format === "json")
    return `${JSON.stringify({ worktrees: rows.map(({ record, ...row }) => ({ ...record, ...row })) }, undefined, 2)}\n`;
  if (rows.length === 0) return "No task has files of its own that are neither merged nor dropped.\n";
  return [HEAD.join("\t"), ...rows.map(formatRow)].map((line) => `${line}\n`).join("");
}

interface Row {
  readonly record: IsolationRecord;
  readonly changed: number | string;
  /** The name of a subtask, or the title of a task. */
  readonly title?: string;
}

const HEAD = ["ID", "Kind", "Created", "Changes", "Source", "Files", "Title"];

function formatRow({ record, changed, title = "" }: Row): string {
  const { id, kind, createdAt, source, workspace } = record;
  const fields = [
    id,
    kind,
    formatTime(createdAt),
    formatChanged(changed),
    `from ${source}`,
    workspace,
    title,
  ];
  return printable(fields.join("\t"));
}

/** The title of a task. Undefined for one that has no journal. */
async function titleOf({ id }: IsolationRecord, dataDir: string): Promise<string | undefined> {
  const history = openHistory({ dataDir });
  if (!(await withCliErrors(() => history.ids())).includes(id)) return undefined;
  return (await withCliErrors(() => history.summary(id))).title;
}

async function diff(given: string, { dataDir }: Flags): Promise<string> {
  const isolation = openIsolation(dataDir);
  const record = await find(isolation, given, dataDir);
  const { files, text } = await withToolErrors(() => isolation.changes(record));
  return files.length === 0 ? "No file was changed.\n" : `${printable(text)}\n`;
}

async function merge(
  given: string,
  { dataDir, conflicts, workspace: named }: MergeFlags,
  io: Io,
): Promise<number> {
  const isolation = openIsolation(dataDir);
  const record = await find(isolation, given, dataDir);
  await assertNotHeld(record, dataDir);
  const workspace = await withToolErrors(() => openWorkspace(named ?? record.source));
  const result = await withToolErrors(() => isolation.merge(record, { workspace, conflicts }));
  const listed = formatConflicts(result.conflicts);
  if (!result.merged) {
    io.stdout.write(`Nothing was merged. Files in conflict:\n${listed}`);
    io.stdout.write(
      "Choose with --conflicts mark, keep or take. If one is to be changed by hand, only keep merges the others. The files of the task stay until then.\n",
    );
    return EXIT.failed;
  }
  io.stdout.write(
    `Merged into ${printable(workspace.root)}: ${filesChanged(result.changed.length)}, not committed.\n`,
  );
  io.stdout.write(formatPaths(result.changed));
  if (listed !== "") io.stdout.write(`In conflict, and resolved as you chose:\n${listed}`);
  return EXIT.done;
}

/** Files that a message names. */
const PATHS_MAX = 20;

/** A line for each file, up to a limit. */
function formatPaths(paths: readonly string[]): string {
  const lines = paths.slice(0, PATHS_MAX).map((each) => `  ${printable(each)}\n`);
  const more = paths.length - lines.length;
  return `${lines.join("")}${more > 0 ? `  and ${more} more\n` : ""}`;
}

const formatConflicts = (conflicts: readonly MergeConflict[]): string =>
  conflicts.map(({ path, reason }) => `  ${printable(path)}: ${reason}\n`).join("");

async function drop(given: string, { dataDir, yes }: DropFlags, io: Io): Promise<number> {
  const isolation = openIsolation(dataDir);
  const record = await find(isolation, given, dataDir);
  await assertNotHeld(record, dataDir);
  const changed = await changedIn(isolation, record);
  const files = await isolation.changedPaths(record);
  if (yes !== true && changed !== 0) {
    io.stdout.write(formatPaths(files));
    const answer = await confirm(
      `Permanently remove the files of ${record.id} (${printable(formatChanged(changed))})?`,
      "Add --yes to remove without asking.",
      io,
    );
    if (answer !== "yes") io.stdout.write("Nothing was removed.\n");
    if (answer === "interrupted") return EXIT.interrupted;
    if (answer === "no") return EXIT.done;
  }
  await withToolErrors(() => isolation.remove(record, { end: "declined", by: null, files: [...files] }));
  io.stdout.write(`Removed the files of ${record.id}.\n`);
  if (yes === true) io.stdout.write(formatPaths(files));
  return EXIT.done;
}

/** @throws CliError unless the given id, or prefix, names exactly one task with files, and no other task */
async function find(isolation: Isolation, given: string, dataDir: string): Promise<IsolationRecord> {
  const records = await withToolErrors(() => isolation.list());
  const tasks = await withCliErrors(() => openHistory({ dataDir }).ids());
  const ended = await withToolErrors(() => isolation.endedIds());
  const ids = new Set([...tasks, ...records.map(({ id }) => id), ...ended]);
  const [named, other] = matchIds([...ids], given);
  const found = records.find(({ id }) => id === named);
  const listing = formatCommandLine(["worktrees", "list"], dataDir);
  if (other !== undefined)
    throw new CliError(
      `several tasks begin with ${printable(given)}: expected one of ${listing}. Give more of the id.`,
    );
  if (found !== undefined) return found;
  const end = named === undefined ? undefined : await withToolErrors(() => isolation.endOf(named));
  throw new CliError(
    end === undefined || named === undefined
      ? `no task ${printable(given)} has files of its own: expected one of ${listing}.`
      : `the files of task ${printable(named)} ${formatFilesEnd(end)}: expected one of ${listing}.`,
  );
}

/** @throws CliError while the task is open in a process, which could still change its files */
async function assertNotHeld({ id }: IsolationRecord, dataDir: string): Promise<void> {
  const history = openHistory({ dataDir });
  const isRecorded = (await withCliErrors(() => history.ids())).includes(id);
  const heldBy = isRecorded ? (await withCliErrors(() => history.summary(id))).heldBy : undefined;
  if (heldBy !== undefined)
    throw new CliError(
      `task ${id} is open in another process: expected one that is closed. End that process first.`,
    );
}

/** Convert expected errors of git and of files to errors of the command. */
async function withToolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ToolError ? new CliError(errorMessage(error), { cause: error }) : error;
  }
}
