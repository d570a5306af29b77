import type { FinishedMerge, MergedFile, MergeLedger } from "../../adapters/isolation/merged-file.ts";
import type { IsolationRecord } from "../../adapters/isolation/record.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InterruptedCall, LedgerLine } from "../../store/ledger/entry.ts";
import { interruptedCalls } from "../../store/ledger/interrupted-calls.ts";
import { LedgerFile } from "../../store/ledger/ledger-file.ts";
import { hasLedgerFolder } from "../../store/ledger/ledger-storage.ts";
import { mergeEntries, type MergedFile as RecordedFile } from "../../store/ledger/merge.ts";
import { addMerge, readMerges } from "../../store/ledger/merge-record.ts";
import { readLines } from "../../store/ledger/reader.ts";
import { TaskLedger } from "../../store/ledger/task-ledger.ts";
import { headerOf } from "../../store/task-history/header.ts";
import { taskIds } from "../../store/task-history/lookup.ts";
import type { OpenJournal } from "../task-policies/history.ts";

interface WorkspaceMergesOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly journal: OpenJournal;
}

/** Records merges in the ledger of the workspace, after the writes that the ledger of the worktree or copy has. */
export class WorkspaceMerges implements MergeLedger {
  readonly #options: WorkspaceMergesOptions;

  constructor(options: WorkspaceMergesOptions) {
    this.#options = options;
  }

  isOn(workspace: string): Promise<boolean> {
    return hasLedgerFolder(workspace);
  }

  /** @throws LedgerError, JournalError, TaskHistoryError */
  async record({ record, workspace, files }: FinishedMerge): Promise<void> {
    const { clock, dataDir } = this.#options;
    const incoming = await this.#linesOf(record);
    const { id: task, createdAt } = record;
    const interrupted = await this.#interruptedIn(record);
    const merge = { task, at: clock.now(), createdAt, interrupted, files: files.map(recordedFile) };
    await new LedgerFile(workspace, { clock }).update(async (ledger) => {
      const merges = await readMerges(dataDir, task);
      const recorded = merges.flatMap((each) => (each.workspace === workspace ? each.entries : []));
      const present = await readLines(workspace);
      const { entries, merged } = mergeEntries(present, incoming, { ...merge, recorded });
      // Before the lines: if the process ends in between, the repeated merge appends the same ones.
      await addMerge(dataDir, task, { workspace, entries: merged });
      await ledger.append(entries);
    });
  }

  async #interruptedIn(record: IsolationRecord): Promise<readonly InterruptedCall[]> {
    const { dataDir, journal } = this.#options;
    const calls: InterruptedCall[] = [];
    for (const taskId of await this.#tasksIn(record))
      if (headerOf(dataDir, taskId) !== undefined)
        calls.push(...(await interruptedCalls(taskId, journal(taskId))));
    return calls;
  }

  /** The lines of a worktree or a copy, with those that a crash kept from it. */
  async #linesOf(record: IsolationRecord): Promise<readonly LedgerLine[]> {
    const { clock, journal } = this.#options;
    const { workspace } = record;
    if (!(await hasLedgerFolder(workspace))) return [];
    const file = new LedgerFile(workspace, { clock });
    for (const taskId of await this.#tasksIn(record)) {
      const onError = (error: unknown): never => {
        throw error;
      };
      await new TaskLedger({ file, driver: journal(taskId), taskId, facts: {}, onError }).catchUp();
    }
    return readLines(workspace);
  }

  /** The task that the files belong to, and its subtasks that worked there. */
  async #tasksIn({ id, workspace }: IsolationRecord): Promise<readonly string[]> {
    const { dataDir } = this.#options;
    const subtasks = (await taskIds(dataDir)).filter((each) => each.startsWith(`${id}.`));
    return [id, ...subtasks.filter((each) => headerOf(dataDir, each)?.workspace === workspace)];
  }
}

function recordedFile({ write, taken, changed, by }: MergedFile): RecordedFile {
  const { path, before, after, lines, git } = write;
  return {
    path,
    before,
    after,
    lines: lines ?? null,
    revision: git?.revision ?? null,
    branch: git?.branch ?? null,
    merged: { content: taken.before, lines: taken.lines ?? null, by },
    changed,
  };
}
