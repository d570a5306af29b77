import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { type HeaderRecord, JOURNAL_VERSION } from "../../wire/index.ts";
import { fileJournal, journalHolder } from "../journal/index.ts";
import { recallTask } from "../recovery/index.ts";
import { systemCode, toHistoryError } from "./error.ts";
import { taskIds } from "./find.ts";
import { headOf } from "./head.ts";
import { JOURNAL, TITLE, taskFolder } from "./places.ts";
import { origin, standing, type TaskSummary } from "./summary.ts";
import { endOf, isEnough, type JournalEnd } from "./tail.ts";
import { readName } from "./title.ts";

export interface ListOptions {
  /** Where the journals lie. */
  readonly dataDir: string;
  /** Only tasks of this workspace. */
  readonly workspace?: string;
  /** At most so many, the newest. Default: all. */
  readonly limit?: number;
}

/** How many journals are open at a time. */
const OPEN_MAX = 32;
/** How much of each end of a journal is read at first. */
const PIECE_BYTES = 16 * 1024;
/** By how much more is read where that doesn't tell enough. */
const GROWTH = 8;

/**
 * The tasks in a data folder, newest first. Takes no lock and writes nothing; of each journal it reads the head and
 * as much of the end as it takes to know the state and the cost.
 *
 * @throws TaskHistoryError `HISTORY_IO`
 */
export async function listTasks({ dataDir, workspace, limit }: ListOptions): Promise<readonly TaskSummary[]> {
  const ids = await taskIds(dataDir);
  const wanted = workspace === undefined ? undefined : await realOf(workspace);
  const summaries: TaskSummary[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
      const summary = await summaryOf(dataDir, id, wanted);
      if (summary !== undefined) summaries.push(summary);
    }
  };
  await Promise.all(Array.from({ length: OPEN_MAX }, work));
  summaries.sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  return limit === undefined ? summaries : summaries.slice(0, limit);
}

/**
 * One task in short. Undefined where there is none, or it is of another workspace.
 * @throws TaskHistoryError `ID_INVALID`, `HISTORY_IO`
 */
export async function summaryOf(
  dataDir: string,
  id: string,
  workspace?: string,
): Promise<TaskSummary | undefined> {
  const folder = taskFolder(dataDir, id);
  const place = path.join(folder, JOURNAL);
  try {
    const names = await readdir(folder);
    if (!names.includes(JOURNAL)) return undefined;
    const handle = await open(place, "r");
    try {
      return await summarized(id, folder, names, handle, workspace);
    } finally {
      await handle.close();
    }
  } catch (error) {
    // Deleted meanwhile.
    if (systemCode(error) === "ENOENT") return undefined;
    throw toHistoryError(place, error);
  }
}

async function summarized(
  id: string,
  folder: string,
  names: readonly string[],
  handle: FileHandle,
  workspace: string | undefined,
): Promise<TaskSummary | undefined> {
  const { size: bytes } = await handle.stat();
  const piece = await readAt(handle, 0, Math.min(bytes, PIECE_BYTES));
  const head = headOf(piece);
  if (head.header === undefined)
    return workspace === undefined ? await unreadable(id, handle, head.reason) : undefined;
  const { header, prompt } = head;
  if (workspace !== undefined && header.workspace !== workspace) return undefined;
  const heldBy = names.includes("lock") ? await journalHolder(folder) : undefined;
  const name = names.includes(TITLE) ? await readName(folder) : undefined;
  const end = bytes === piece.length ? endOf(piece, true) : await readEnd(handle, bytes);
  const { last, state, ask, cost, problem } = end;
  return {
    id,
    title: name ?? header.title ?? prompt,
    ...origin(header),
    createdAt: header.createdAt,
    updatedAt: last?.at ?? header.createdAt,
    ...standing(state ?? "no_task", ask, heldBy),
    ...(heldBy !== undefined && { heldBy }),
    cost: cost ?? (await costWithoutFacts(header, folder)),
    bytes,
    lastSeq: last?.seq ?? 0,
    // While somebody writes, the last line may be half there.
    ...(problem !== undefined && (heldBy === undefined || problem.kind !== "torn") && { problem }),
  };
}

/** A journal of an old version says only in its rows what the task cost. */
async function costWithoutFacts({ version }: HeaderRecord, dir: string): Promise<number> {
  if (version === JOURNAL_VERSION) return 0;
  const recalled = await recallTask(fileJournal({ dir }));
  return recalled?.memory.facts.total?.cost ?? 0;
}

/** Looks at more and more of the end, until it tells enough. */
async function readEnd(handle: FileHandle, bytes: number): Promise<JournalEnd> {
  for (let length = PIECE_BYTES; ; length *= GROWTH) {
    const from = Math.max(0, bytes - length);
    const end = endOf(await readAt(handle, from, bytes - from), from === 0);
    if (from === 0 || isEnough(end)) return end;
  }
}

async function readAt(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(piece, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return piece.subarray(0, filled);
}

async function unreadable(id: string, handle: FileHandle, reason: string): Promise<TaskSummary> {
  const { birthtimeMs, mtimeMs, size } = await handle.stat();
  return {
    id,
    title: "",
    createdAt: birthtimeMs,
    updatedAt: mtimeMs,
    ...standing("no_task", undefined, undefined),
    cost: 0,
    bytes: size,
    lastSeq: 0,
    problem: { kind: "unreadable", reason },
  };
}

/** A workspace is recorded by its real path. */
async function realOf(workspace: string): Promise<string> {
  try {
    return await realpath(workspace);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return path.resolve(workspace);
    throw toHistoryError(workspace, error);
  }
}
