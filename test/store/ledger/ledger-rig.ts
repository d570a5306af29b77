import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "../../../actors/index.ts";
import type { FileWrite } from "../../../machines/tool-call/file-write.ts";
import { fileJournal, type JournalDriver } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { LedgerFile } from "../../../store/ledger/ledger-file.ts";
import { TaskLedger } from "../../../store/ledger/task-ledger.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import type { JournalDraft, JournalHeader } from "../../../wire/journal/record.ts";

/** A workspace with a ledger, and a data folder with journals. */
export interface LedgerRig extends AsyncDisposable {
  readonly root: string;
  readonly dataDir: string;
  /** Path of the ledger. */
  readonly path: string;
  open(task: string): RecordedTask;
  /** The lines of the ledger, without newlines. */
  lines(): Promise<readonly string[]>;
  put(lines: readonly string[]): Promise<void>;
}

/** Lines of the ledger of tasks that other folders have, too. */
export interface RecordedTask {
  readonly driver: JournalDriver;
  readonly ledger: TaskLedger;
  /** Record a call that changed these files. The ledger gets it unless the process "ends" before that. */
  write(files: readonly FileWrite[], fate?: "killed"): Promise<void>;
}

const MODEL = { model: { provider: "mock", id: "m1" } };

export const fileWrite = (name: string, more: Partial<FileWrite> = {}): FileWrite => ({
  path: name,
  before: null,
  after: "a".repeat(64),
  lines: [{ before: { start: 1, count: 0 }, after: { start: 1, count: 2 } }],
  git: { revision: "b".repeat(40), branch: "main" },
  ...more,
});

/** The commit that settles a call with these writes. */
export const settled = (seq: number, writes: readonly FileWrite[], tool = "write_to_file"): JournalDraft => ({
  seq,
  kind: "commit",
  at: 1_000 + seq,
  before: "running.executing",
  after: "running.executing",
  calls: [
    {
      callId: `c${seq}`,
      toolUseId: `u${seq}`,
      name: tool,
      ask: "tool",
      phase: "settled",
      outcome: { kind: "done", content: [], writes },
    },
  ],
  ...(seq === 1 && { facts: MODEL }),
});

/** The commit that starts a call. */
export const started = (seq: number, name: string): JournalDraft => ({
  seq,
  kind: "commit",
  at: 1_000 + seq,
  before: "running.deciding",
  after: "running.executing",
  calls: [
    { callId: `c${seq}`, toolUseId: `u${seq}`, name, ask: "command", phase: "running", replayable: false },
  ],
  ...(seq === 1 && { facts: MODEL }),
});

export const header = (taskId: string, more: Partial<JournalHeader> = {}): JournalDraft => ({
  seq: 0,
  kind: "header",
  version: 3,
  taskId,
  createdAt: 1_000,
  ...more,
});

export async function openLedgerRig(): Promise<LedgerRig> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "ledger-")));
  const [root, dataDir] = [path.join(base, "workspace"), path.join(base, "data")];
  await mkdir(path.join(root, ".orchestration"), { recursive: true });
  const file = new LedgerFile(root, { clock: systemClock });
  const drivers: JournalDriver[] = [];
  const open = (task: string): RecordedTask => {
    const driver = fileJournal({ dir: taskFolder(dataDir, task) });
    drivers.push(driver);
    const ledger = ledgerOf(file, driver, task);
    let seq = 0;
    const append = async (record: JournalDraft): Promise<void> => driver.append([encodeLine(record)]);
    return {
      driver,
      ledger,
      async write(files, fate) {
        if (seq === 0) await append(header(task, { workspace: root }));
        seq += 1;
        const record = settled(seq, files);
        await append(record);
        if (fate === "killed") return;
        ledger.add(record);
        await ledger.flushed();
      },
    };
  };
  return {
    root,
    dataDir,
    path: file.path,
    open,
    lines: async () => (await readFile(file.path, "utf8")).split("\n").slice(0, -1),
    put: (lines) => writeFile(file.path, lines.map((line) => `${line}\n`).join("")),
    async [Symbol.asyncDispose]() {
      for (const driver of drivers) await driver.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** The ledger of a task that is new, or opened again. */
export const ledgerOf = (file: LedgerFile, driver: JournalDriver, taskId: string, isReopened = false) =>
  new TaskLedger({
    file,
    driver,
    taskId,
    ...(isReopened && { facts: MODEL }),
    onError: (error) => {
      throw error;
    },
  });
