import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { type HeaderRecord, JOURNAL_VERSION } from "../../wire/index.ts";
import { systemCode } from "../files/index.ts";
import { fileJournal, journalHolder } from "../journal/index.ts";
import { replayJournal } from "../recovery/index.ts";
import { toHistoryError } from "./error.ts";
import { type JournalEnds, readJournalEnds } from "./journal-ends.ts";
import { taskIds, unknownTask } from "./lookup.ts";
import { headerFields, stateFields, type TaskSummary } from "./summary.ts";
import { JOURNAL, taskFolder } from "./task-folder.ts";
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
 * List the tasks in a data folder, newest first. Takes no lock and writes nothing. Reads only the head of each journal,
 * and as much of the tail as the state and the cost need.
 *
 * @throws TaskHistoryError `HISTORY_IO`
 */
export async function listTasks({ dataDir, workspace, limit }: ListOptions): Promise<readonly TaskSummary[]> {
  const ids = await taskIds(dataDir);
  const wanted = workspace === undefined ? undefined : await realPathOf(workspace);
  const summaries: TaskSummary[] = [];
  for (const [index, id] of ids.entries()) {
    if (index % SLICE === 0) await setImmediate();
    const summary = await findSummary(dataDir, id, wanted);
    if (summary !== undefined) summaries.push(summary);
  }
  summaries.sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  return limit === undefined ? summaries : summaries.slice(0, limit);
}

/**
 * Summarize a task of any workspace.
 * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
 */
export async function summarizeTask(dataDir: string, id: string): Promise<TaskSummary> {
  const summary = await findSummary(dataDir, id);
  if (summary === undefined) throw unknownTask(dataDir, id);
  return summary;
}

/** Summarize a task; undefined if it does not exist or belongs to another workspace. */
async function findSummary(
  dataDir: string,
  id: string,
  workspace?: string,
): Promise<TaskSummary | undefined> {
  const folder = taskFolder(dataDir, id);
  try {
    const ends = readJournalEnds(folder, workspace);
    if (ends.head.header === undefined)
      return workspace === undefined ? await summarizeUnreadable(id, folder, ends) : undefined;
    return ends.end === undefined ? undefined : await summarize(id, folder, ends.head, ends.end, ends);
  } catch (error) {
    // Not a task, or deleted meanwhile.
    if (systemCode(error) === "ENOENT") return undefined;
    throw toHistoryError(folder, error);
  }
}

async function summarize(
  id: string,
  folder: string,
  { header, prompt }: Extract<JournalEnds["head"], { readonly prompt: string }>,
  { last, state, ask, cost, problem }: NonNullable<JournalEnds["end"]>,
  { isLocked, isNamed, bytes }: JournalEnds,
): Promise<TaskSummary> {
  const heldBy = isLocked ? await journalHolder(folder) : undefined;
  const name = isNamed ? await readName(folder) : undefined;
  return {
    id,
    title: name ?? header.title ?? prompt,
    ...headerFields(header),
    createdAt: header.createdAt,
    // The records of a fork are older than the fork.
    updatedAt: Math.max(last?.at ?? 0, header.createdAt),
    ...stateFields(state ?? "no_task", ask, heldBy),
    ...(heldBy !== undefined && { heldBy }),
    cost: cost ?? (await replayCost(header, folder)),
    bytes,
    lastSeq: last?.seq ?? 0,
    // While a process writes, the last line may be incomplete.
    ...(problem !== undefined && (heldBy === undefined || problem.kind !== "torn") && { problem }),
  };
}

/** Replay the cost of a journal of an old version, where it is only in the messages. */
async function replayCost({ version }: HeaderRecord, dir: string): Promise<number> {
  if (version === JOURNAL_VERSION) return 0;
  const replayed = await replayJournal(fileJournal({ dir }));
  return replayed?.recorded.facts.total?.cost ?? 0;
}

async function summarizeUnreadable(
  id: string,
  folder: string,
  { head, bytes }: JournalEnds,
): Promise<TaskSummary> {
  const { birthtimeMs, mtimeMs } = await stat(path.join(folder, JOURNAL));
  return {
    id,
    title: "",
    createdAt: birthtimeMs,
    updatedAt: mtimeMs,
    ...stateFields("no_task", undefined, undefined),
    cost: 0,
    bytes,
    lastSeq: 0,
    ...(head.header === undefined && { problem: { kind: "unreadable", reason: head.reason } }),
  };
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
