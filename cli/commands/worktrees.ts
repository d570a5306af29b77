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

/** `worktrees list`: id, changes, creation, source and folder of each, tab-separated; or as JSON. */
async function list({ dataDir, format }: ListFlags): Promise<string> {
  const isolation = openIsolation(dataDir);
  const rows = await withToolErrors(async () => {
    const records = await isolation.list();
    return Promise.all(
      records.map(async (record) => ({ record, changed: await changedIn(isolation, record) })),
    );
  });
  if (format === "json")
    return `${JSON.stringify({ worktrees: rows.map(({ record, changed }) => ({ ...record, changed })) }, undefined, 2)}\n`;
  return rows.map(({ record, changed }) => `${formatRow(record, changed)}\n`).join("");
}

function formatRow(
  { id, kind, createdAt, source, workspace }: IsolationRecord,
  changed: number | string,
): string {
  const fields = [id, kind, formatTime(createdAt), formatChanged(changed), `from ${source}`, workspace];
  return printable(fields.join("\t"));
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
  if (listed !== "") io.stdout.write(`In conflict, and resolved as you chose:\n${listed}`);
  return EXIT.done;
}

const formatConflicts = (conflicts: readonly MergeConflict[]): string =>
  conflicts.map(({ path, reason }) => `  ${printable(path)}: ${reason}\n`).join("");

async function drop(given: string, { dataDir, yes }: DropFlags, io: Io): Promise<number> {
  const isolation = openIsolation(dataDir);
  const record = await find(isolation, given, dataDir);
  await assertNotHeld(record, dataDir);
  const changed = await changedIn(isolation, record);
  if (yes !== true && changed !== 0) {
    const answer = await confirm(
      `Permanently remove the files of ${record.id} (${printable(formatChanged(changed))})?`,
      "Add --yes to remove without asking.",
      io,
    );
    if (answer !== "yes") io.stdout.write("Nothing was removed.\n");
    if (answer === "interrupted") return EXIT.interrupted;
    if (answer === "no") return EXIT.done;
  }
  await withToolErrors(() => isolation.remove(record, { end: "declined", by: null }));
  io.stdout.write(`Removed the files of ${record.id}.\n`);
  return EXIT.done;
}

/** @throws CliError unless the given id, or prefix, names exactly one task with files, and no other task */
async function find(isolation: Isolation, given: string, dataDir: string): Promise<IsolationRecord> {
  const records = await withToolErrors(() => isolation.list());
  const tasks = await withCliErrors(() => openHistory({ dataDir }).ids());
  const ids = new Set([...tasks, ...records.map(({ id }) => id)]);
  const [named, other] = matchIds([...ids], given);
  const found = records.find(({ id }) => id === named);
  const listing = formatCommandLine(["worktrees", "list"], dataDir);
  if (other !== undefined)
    throw new CliError(
      `several tasks begin with ${printable(given)}: expected one of ${listing}. Give more of the id.`,
    );
  if (found === undefined)
    throw new CliError(`no task ${printable(given)} has files of its own: expected one of ${listing}.`);
  return found;
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
