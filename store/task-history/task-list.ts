import { createReadStream, existsSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { LOCK } from "../files/data-folder.ts";
import { systemCode } from "../files/system-code.ts";
import { fileJournal } from "../journal/file.ts";
import { journalHolder } from "../journal/holder.ts";
import { toHistoryError } from "./error.ts";
import { readFileEnds } from "./file-ends.ts";
import { readName } from "./file-name.ts";
import type { ListOptions } from "./history-store.ts";
import type { CheckedPart } from "./journal-check.ts";
import { taskIds } from "./lookup.ts";
import { summarizeJournal, withStoredFacts } from "./summarize.ts";
import { asSettled, byNewest, type StoredFacts, type TaskSummary } from "./summary.ts";
import { JOURNAL, TITLE, taskFolder } from "./task-folder.ts";
import { type IndexedTask, readIndex, writeIndex } from "./task-index.ts";
import { hasWords, searchedWords } from "./words.ts";

/** Tasks to read before yielding to the event loop. */
const SLICE = 8;

/**
 * List the tasks in a data folder, newest first. Takes no lock, and writes nothing but the index: only journals that
 * changed since are read, of each the head and as much of the tail as the state, the usage and the mode need. What was
 * appended since is checked for damage.
 *
 * @throws TaskHistoryError `HISTORY_IO`
 */
export async function listTasks({
  dataDir,
  workspace,
  search = "",
  after,
  limit,
}: ListOptions & { readonly dataDir: string }): Promise<readonly TaskSummary[]> {
  const wanted = workspace === undefined ? undefined : await realPathOf(workspace);
  const words = searchedWords(search);
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
    (summary) =>
      (wanted === undefined || workspacesOf(summary, all).includes(wanted)) &&
      (after === undefined || byNewest(after, summary) < 0) &&
      hasWords(summary, words),
  );
  summaries.sort(byNewest);
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

/** Summarize a task; undefined if there is none. @throws TaskHistoryError `ID_INVALID`, `HISTORY_IO` */
export async function summarizeTask(dataDir: string, id: string): Promise<TaskSummary | undefined> {
  return (await findSummary(dataDir, id))?.summary;
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
    return { indexed, summary: withStoredFacts(summary, await readFacts(folder)) };
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

/** Read the facts of a task that are in its folder beside the journal: its name, and the process that has it open. */
export async function readFacts(folder: string): Promise<StoredFacts> {
  const [heldBy, name] = await Promise.all([journalHolder(folder), readName(folder)]);
  return { ...(name !== undefined && { name }), ...(heldBy !== undefined && { heldBy }) };
}

async function readSummary(folder: string, id: string, known?: CheckedPart): Promise<IndexedTask> {
  const { stats, ends } = readFileEnds(folder);
  const { mtimeMs, birthtimeMs, size } = stats;
  const journal = {
    size,
    createdAt: birthtimeMs,
    changedAt: mtimeMs,
    ends,
    driver: fileJournal({ dir: folder }),
    chunks: (from: number) => chunksOf(path.join(folder, JOURNAL), from, size),
  };
  return { mtimeMs, ...(await summarizeJournal(id, journal, known)) };
}

async function* chunksOf(file: string, from: number, to: number): AsyncGenerator<Uint8Array> {
  if (from < to) yield* createReadStream(file, { start: from, end: to - 1 });
}

/** The real path of a workspace, as in the header. */
export async function realPathOf(workspace: string): Promise<string> {
  try {
    return await realpath(workspace);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return path.resolve(workspace);
    throw toHistoryError(workspace, error);
  }
}
