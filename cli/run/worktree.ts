import { randomUUID } from "node:crypto";
import path from "node:path";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Isolation } from "../../adapters/isolation/isolation.ts";
import type { IsolationRecord } from "../../adapters/isolation/record.ts";
import { printable } from "../../client/printable/printable.ts";
import { openIsolation as openTaskIsolation } from "../../runtime/subtasks/task-isolation.ts";
import type { Task } from "../../runtime/task/task.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { ToolError } from "../../tools/error.ts";
import { formatCommandLine, quoteArgument } from "../command-line.ts";
import { CliError, errorMessage } from "../error.ts";
import type { RunSettings } from "./settings.ts";

/** The worktrees and copies of the tasks of a data folder. */
export const openIsolation = (dataDir: string): Isolation =>
  openTaskIsolation({
    dataDir: path.resolve(dataDir),
    clock: systemClock,
    journal: (taskId) => fileJournal({ dir: taskFolder(dataDir, taskId) }),
  });

/** The settings of a new task that works in a worktree, which is created. @throws CliError if it can't be */
export async function inWorktree(settings: RunSettings, dataDir: string): Promise<RunSettings> {
  if (!settings.usesWorktree) return settings;
  const { session, workspace: source = "." } = settings;
  const id = (session.kind === "new" ? session.id : undefined) ?? randomUUID();
  try {
    const { workspace } = await openIsolation(dataDir).open({ id, source, kind: "worktree" });
    return { ...settings, workspace, session: { kind: "new", id } };
  } catch (error) {
    throw new CliError(`can't create a worktree: ${errorMessage(error)}`, { cause: error });
  }
}

/** Remove the worktree of a new task that could not be opened. */
export async function removeUnused(
  { usesWorktree, session }: Pick<RunSettings, "usesWorktree" | "session">,
  dataDir: string,
): Promise<void> {
  if (!usesWorktree || session.kind !== "new" || session.id === undefined) return;
  const isolation = openIsolation(dataDir);
  const record = await isolation.find(session.id);
  if (record !== undefined) await isolation.remove(record);
}

/**
 * The end of a task for its worktrees: how to merge and how to drop its own worktree, and how many of its subtasks have one.
 * The worktree of a task that never began is removed.
 */
export async function endWorktrees(task: Task, dataDir: string): Promise<string> {
  const isolation = openIsolation(dataDir);
  const record = await isolation.find(task.id);
  if (record !== undefined && task.log.length === 0) {
    await isolation.remove(record);
    return "";
  }
  const own = record === undefined ? [] : await ownLines(isolation, record, dataDir);
  const { length: ofSubtasks } = await isolation.list(task.id);
  const lines = ofSubtasks === 0 ? own : [...own, leftLine(ofSubtasks, dataDir)];
  return lines.map((line) => `${line}\n`).join("");
}

async function ownLines(
  isolation: Isolation,
  record: IsolationRecord,
  dataDir: string,
): Promise<readonly string[]> {
  const changed = formatChanged(await changedIn(isolation, record));
  const command = (action: string): string => formatCommandLine(["worktrees", action, record.id], dataDir);
  return [
    `Files of the task, ${printable(changed)}: ${quoteArgument(printable(record.workspace))}`,
    `To look at the changes: ${command("diff")}`,
    `To merge them into ${printable(record.source)}: ${command("merge")}`,
    `To drop them: ${command("drop")}`,
  ];
}

/** The number of files that a task changed, or the reason why it isn't known. */
export async function changedIn(isolation: Isolation, record: IsolationRecord): Promise<number | string> {
  try {
    return (await isolation.changes(record)).files.length;
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
}

export const formatChanged = (changed: number | string): string =>
  typeof changed === "number" ? filesChanged(changed) : changed;

export const filesChanged = (count: number): string =>
  count === 1 ? "1 file changed" : `${count} files changed`;

const leftLine = (count: number, dataDir: string): string =>
  `${count === 1 ? "The files of 1 subtask are" : `The files of ${count} subtasks are`} neither merged nor declined: ${formatCommandLine(["worktrees", "list"], dataDir)}`;
