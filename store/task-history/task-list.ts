import { existsSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { HeaderRecord } from "../../wire/journal/record.ts";
import { LOCK } from "../files/data-folder.ts";
import { systemCode } from "../files/system-code.ts";
import { fileJournal } from "../journal/file.ts";
import { journalHolder } from "../journal/holder.ts";
import { replayJournal } from "../recovery/replay.ts";
import { toHistoryError } from "./error.ts";
import { type CheckedPart, checkJournal, NOTHING_CHECKED } from "./journal-check.ts";
import { type JournalEnds, readJournalEnds } from "./journal-ends.ts";
import { taskIds, unknownTask } from "./lookup.ts";
import { asSettled, headerFields, stateFields, type TaskSummary } from "./summary.ts";
import { JOURNAL, TITLE, taskFolder } from "./task-folder.ts";
import { type IndexedTask, readIndex, writeIndex } from "./task-index.ts";
import { readName } from "./title.ts";

export interface ListOptions {
  /** Data directory. */
  readonly dataDir: string;
  /** Only tasks of this workspace. */
  readonly workspace?: string;
  /** Maximum number of tasks, newest first. Default: all. */
  readonly limit?: number;
}

/** Tasks to read before yielding to the event loop. */
const SLICE = 8;

/**
 * List the tasks in a data folder, newest first. Takes no lock, and writes nothing but the index: only journals that
 * changed since are read, of each the head and as much of the tail as the state, the usage and the mode need. What was
 * appended since is checked for damage.
 *
 * @throws TaskHistoryError `HISTORY_IO`
 */
export async function listTasks({ dataDir, workspace, limit }: ListOptions): Promise<readonly TaskSummary[]> {
  const wanted = workspace === undefined ? undefined : await realPathOf(workspace);
  const old = await readIndex(dataDir);
  const index = new Map<string, IndexedTask>();
  const all = new Map<string, TaskSummary>();
  for (const [number, id] of (await taskIds(dataDir)).entries()) {
    if (number % SLICE === 0) await setImmediate();
    const found = await findSummary(dataDir, id, old.get(id));
    if (found === undefined) continue;
    index.set(id, found.indexed);
    all.set(id, found.summary);
  }
  const isChanged = index.size !== old.size || [...index].some(([id, task]) => old.get(id) !== task);
  if (isChanged) await writeIndex(dataDir, index);
  const summaries = [...all.values()].filter(
    (summary) => wanted === undefined || workspacesOf(summary, all).includes(wanted),
  );
  summaries.sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  return limit === undefined ? summaries : summaries.slice(0, limit);
}

/** The workspace of a task and of its root: a subtask may work in a worktree or copy. */
const workspacesOf = (
  { workspace, rootId }: TaskSummary,
  all: ReadonlyMap<string, TaskSummary>,
): readonly (string | undefined)[] => [
  workspace,
  rootId === undefined ? undefined : all.get(rootId)?.workspace,
];

/**
 * Summarize a task of any workspace.
 * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
 */
export async function summarizeTask(dataDir: string, id: string): Promise<TaskSummary> {
  const found = await findSummary(dataDir, id);
  if (found === undefined) throw unknownTask(dataDir, id);
  return found.summary;
}

interface FoundTask {
  readonly indexed: IndexedTask;
  readonly summary: TaskSummary;
}

/** Summarize a task, from the index if its journal is unchanged; undefined if it does not exist. */
async function findSummary(dataDir: string, id: string, old?: IndexedTask): Promise<FoundTask | undefined> {
  const folder = taskFolder(dataDir, id);
  try {
    const isLocked = existsSync(path.join(folder, LOCK));
    const isNamed = existsSync(path.join(folder, TITLE));
    const isCurrent = old !== undefined && isUnchanged(folder, old);
    const indexed = isCurrent ? old : await readSummary(folder, id, old?.checked);
    const { summary } = indexed;
    if (summary.problem?.kind === "unreadable" || !(isLocked || isNamed))
      return { indexed, summary: asSettled(summary) };
    return { indexed, summary: asSettled(await withFolderFacts(folder, summary)) };
  } catch (error) {
    // Not a task, or deleted in the meantime.
    if (systemCode(error) === "ENOENT") return undefined;
    throw toHistoryError(folder, error);
  }
}

function isUnchanged(folder: string, { mtimeMs, summary }: IndexedTask): boolean {
  const stats = statSync(path.join(folder, JOURNAL));
  return stats.size === summary.bytes && stats.mtimeMs === mtimeMs;
}

/** Add the facts that are not in the journal: the name of the task and the process that has it open. */
async function withFolderFacts(folder: string, { problem, ...summary }: TaskSummary): Promise<TaskSummary> {
  const heldBy = await journalHolder(folder);
  const name = await readName(folder);
  return {
    ...summary,
    ...(name !== undefined && { title: name }),
    ...(heldBy !== undefined && { heldBy, isInterrupted: false }),
    // While a process writes, the last line may be incomplete.
    ...(problem !== undefined && (heldBy === undefined || problem.kind !== "torn") && { problem }),
  };
}

async function readSummary(
  folder: string,
  id: string,
  known: CheckedPart = NOTHING_CHECKED,
): Promise<IndexedTask> {
  const ends = readJournalEnds(folder);
  const { mtimeMs, size } = ends.stats;
  if (ends.header === undefined)
    return { mtimeMs, summary: summarizeUnreadable(id, ends), checked: NOTHING_CHECKED };
  const summary = await summarize(id, folder, ends);
  // A journal that shrank, or was written without growing, was replaced or damaged.
  const from = known.bytes < size ? known : NOTHING_CHECKED;
  const { checked, damage } = await checkJournal(path.join(folder, JOURNAL), from, size);
  if (damage === undefined || summary.problem?.kind === "damaged") return { mtimeMs, summary, checked };
  const problem = { kind: "damaged", reason: damage } as const;
  return { mtimeMs, summary: { ...summary, lastSeq: checked.lines - 1, problem }, checked };
}

type Readable = Extract<JournalEnds, { readonly prompt: string }>;

async function summarize(
  id: string,
  folder: string,
  { stats, header, prompt, end }: Readable,
): Promise<TaskSummary> {
  const { last, state, message = {}, stopped, requests, problem } = end;
  return {
    id,
    title: header.title ?? prompt,
    ...headerFields(header),
    createdAt: header.createdAt,
    // The records of a fork are older than the fork.
    updatedAt: Math.max(last?.at ?? 0, header.createdAt),
    ...stateFields(state ?? "no_task", message, undefined),
    ...(end.total ?? (await replayTotal(header, folder))),
    mode: end.mode ?? DEFAULT_MODE,
    ...(stopped !== undefined && { stoppedAsk: { kind: stopped.kind, text: stopped.text } }),
    ...(requests !== undefined && { requests }),
    bytes: stats.size,
    lastSeq: last?.seq ?? 0,
    ...(problem !== undefined && { problem }),
  };
}

function summarizeUnreadable(id: string, { stats, reason }: Exclude<JournalEnds, Readable>): TaskSummary {
  return {
    id,
    title: "",
    createdAt: stats.birthtimeMs,
    updatedAt: stats.mtimeMs,
    ...stateFields("no_task", {}, undefined),
    ...NO_USAGE,
    bytes: stats.size,
    lastSeq: 0,
    problem: { kind: "unreadable", reason },
  };
}

/** Replay the usage of a journal of version 1, where it is only in the messages. */
async function replayTotal({ version }: HeaderRecord, dir: string): Promise<Usage> {
  if (version > 1) return NO_USAGE;
  const replayed = await replayJournal(fileJournal({ dir }));
  return replayed?.recorded.facts.total ?? NO_USAGE;
}

/** The real path of a workspace, as in the header. */
async function realPathOf(workspace: string): Promise<string> {
  try {
    return await realpath(workspace);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return path.resolve(workspace);
    throw toHistoryError(workspace, error);
  }
}
