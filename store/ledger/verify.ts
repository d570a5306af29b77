import { realpath } from "node:fs/promises";
import path from "node:path";
import { worktreesRoot } from "../files/data-folder.ts";
import { fileJournal } from "../journal/file.ts";
import { journalHolder } from "../journal/holder.ts";
import { headerOf } from "../task-history/header.ts";
import { taskIds } from "../task-history/lookup.ts";
import { taskFolder } from "../task-history/task-folder.ts";
import { checkChains, type LedgerProblem } from "./chains.ts";
import { compareWithJournal, type OwnLine } from "./comparison.ts";
import { entriesOf } from "./derivation.ts";
import type { LedgerEntry } from "./entry.ts";
import { toLedgerError } from "./error.ts";
import { compareMergeCalls, compareMerges, type ExpectedMerges } from "./merge-comparison.ts";
import { mergedTasks, type RecordedMerge, readMerges } from "./merge-record.ts";
import { type NumberedLine, readLedger } from "./reader.ts";

/** A task whose lines could not be compared with its journal: a cut or rewritten end is not found. */
interface UncheckedTask {
  readonly task: string;
  readonly reason: string;
}

/** Result of the verification of a ledger. */
export interface LedgerReport {
  readonly lines: number;
  readonly tasks: number;
  /** In the order of lines; missing lines last. */
  readonly problems: readonly LedgerProblem[];
  readonly unchecked: readonly UncheckedTask[];
}

/**
 * Verify the ledger of a workspace: each line and each chain by itself, and against the journals of a data folder. Takes
 * no lock and writes nothing.
 *
 * @throws LedgerError `LEDGER_MISSING`, `LEDGER_IO`
 * @throws TaskHistoryError `HISTORY_IO`
 */
export async function verifyLedger(workspace: string, dataDir: string): Promise<LedgerReport> {
  const root = await realpath(workspace).catch((error: unknown) => {
    throw toLedgerError(workspace, error);
  });
  // The journals are read before the ledger, which gets lines only after them.
  const journals = new Map<string, Journal>();
  for (const task of await taskIds(dataDir))
    if (headerOf(dataDir, task)?.workspace === root) journals.set(task, await readWrites(task, dataDir));
  const merges = await allMerges(dataDir);
  const lines = await readLedger(root);
  const byTask = linesByTask(lines);
  for (const task of byTask.keys())
    if (!journals.has(task)) journals.set(task, await readWrites(task, dataDir));
  const found: (readonly LedgerProblem[])[] = [
    await mergeProblems({ root, dataDir, merges, journals, lines }),
  ];
  const unchecked: UncheckedTask[] = [];
  const isolated = await isolatedTasks([...byTask.keys()], root, dataDir);
  for (const [task, { entries, reason }] of journals) {
    const own = byTask.get(task) ?? [];
    const expects = isolated.has(task) ? "untilLast" : "all";
    if (entries !== undefined) found.push(compareWithJournal(task, own, entries, expects));
    if (reason !== undefined && (entries !== undefined || own.length > 0)) unchecked.push({ task, reason });
  }
  const problems = [...checkChains(lines), ...found.flat()].toSorted(
    (one, other) => (one.line ?? Number.MAX_SAFE_INTEGER) - (other.line ?? Number.MAX_SAFE_INTEGER),
  );
  return { lines: lines.length, tasks: byTask.size, problems, unchecked };
}

/** The writes of a journal, and why they, or the newest of them, are not known. */
interface Journal {
  readonly entries?: readonly LedgerEntry[];
  readonly reason?: string;
}

async function readWrites(task: string, dataDir: string): Promise<Journal> {
  if (headerOf(dataDir, task) === undefined) return { reason: `its journal is not in ${dataDir}` };
  const dir = taskFolder(dataDir, task);
  const holder = await journalHolder(dir);
  const { entries, tail } = await entriesOf(task, fileJournal({ dir }));
  if (tail?.kind === "damaged") return { reason: `its journal is damaged in line ${tail.line}` };
  return {
    entries,
    ...(holder !== undefined && { reason: `process ${holder.pid} has it open, and may write more` }),
  };
}

interface MergeSources {
  readonly root: string;
  readonly dataDir: string;
  readonly merges: ReadonlyMap<string, readonly RecordedMerge[]>;
  readonly journals: ReadonlyMap<string, Journal>;
  readonly lines: readonly NumberedLine[];
}

/** Compare the merges in the ledger with the data folder, then with the journals of the tasks that merged. */
async function mergeProblems(sources: MergeSources): Promise<readonly LedgerProblem[]> {
  const { root, dataDir, merges, journals, lines } = sources;
  const byTask = linesByTask(lines);
  const worktrees = await worktreesOf(dataDir);
  const problems = [...new Set([...byTask.keys(), ...merges.keys()])].flatMap((task) => {
    const recorded = merges.get(task);
    // A task that the data folder has not at all is reported as not compared.
    if (recorded === undefined && journals.get(task)?.entries === undefined) return [];
    return compareMerges(task, byTask.get(task) ?? [], expectedMerges(recorded ?? [], root, worktrees));
  });
  // A merge that was rewritten is one problem.
  if (problems.length > 0) return problems;
  const isolated = await isolatedTasks([...journals.keys()], root, dataDir);
  const own = [...byTask.values()].flat();
  return [...journals].flatMap(([task, { entries = [] }]) =>
    isolated.has(task) ? [] : compareMergeCalls(task, entries, own),
  );
}

function expectedMerges(merges: readonly RecordedMerge[], root: string, worktrees: string): ExpectedMerges {
  const entriesOfThose = (isOne: (merge: RecordedMerge) => boolean): readonly LedgerEntry[] =>
    merges.filter(isOne).flatMap(({ entries }) => entries);
  return {
    known: entriesOfThose(() => true),
    own: entriesOfThose(({ workspace }) => workspace === root),
    nested: entriesOfThose(
      ({ workspace }) => workspace !== root && workspace.startsWith(worktrees + path.sep),
    ),
  };
}

/** The merges that a data folder has, by the task whose files were merged. */
async function allMerges(dataDir: string): Promise<ReadonlyMap<string, readonly RecordedMerge[]>> {
  const found = new Map<string, readonly RecordedMerge[]>();
  for (const task of await mergedTasks(dataDir)) {
    const merges = await readMerges(dataDir, task);
    if (merges.length > 0) found.set(task, merges);
  }
  return found;
}

/** The tasks that worked in a worktree or copy: what they wrote after its merge is not in the ledger. */
async function isolatedTasks(
  tasks: readonly string[],
  root: string,
  dataDir: string,
): Promise<ReadonlySet<string>> {
  const worktrees = await worktreesOf(dataDir);
  const isIsolated = (task: string): boolean => {
    const workspace = headerOf(dataDir, task)?.workspace;
    return workspace !== undefined && workspace !== root && workspace.startsWith(worktrees + path.sep);
  };
  return new Set(tasks.filter(isIsolated));
}

const worktreesOf = async (dataDir: string): Promise<string> =>
  worktreesRoot(await realpath(dataDir).catch(() => dataDir));

function linesByTask(lines: readonly NumberedLine[]): ReadonlyMap<string, readonly OwnLine[]> {
  const byTask = new Map<string, OwnLine[]>();
  for (const { line, number, whole } of lines) {
    if (line === undefined) continue;
    const own = byTask.get(line.task) ?? [];
    byTask.set(line.task, own);
    own.push({ number, line, whole });
  }
  return byTask;
}
