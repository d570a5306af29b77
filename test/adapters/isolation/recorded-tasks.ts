import { systemClock } from "../../../actors/protocol/edge.ts";
import type { FileWrite } from "../../../machines/tool-call/file-write.ts";
import { fileJournal, type JournalDriver } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { LedgerFile } from "../../../store/ledger/ledger-file.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import { fileWrite } from "../../../tools/changed-file.ts";
import type { JournalDraft } from "../../../wire/journal/record.ts";
import { header, ledgerOf, settled, started } from "../../store/ledger/ledger-rig.ts";
import type { Files } from "./project.ts";

/** The journals of tasks, without hosts. */
export class RecordedTasks {
  readonly #dataDir: string;
  readonly #seqs = new Map<string, number>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Let a task write a file by a call. The ledger of its files has it, unless its process was killed before. */
  async write(task: string, files: Files, name: string, text: string, fate?: "killed"): Promise<void> {
    const before = files.has(name) ? files.bytes(name) : null;
    files.write(name, text);
    const written = fileWrite({ path: name, before, after: Buffer.from(text) }, undefined);
    const driver = await this.#append(task, files, (seq) => settled(seq, [written]));
    if (fate === undefined)
      await ledgerOf(new LedgerFile(files.dir, { clock: systemClock }), driver, task, true).catchUp();
    await driver.close();
  }

  /** Record a call of a task with a change of a file, which stays as it is. */
  async call(
    task: string,
    files: Files,
    tool: string,
    { path, before, after }: Pick<FileWrite, "path" | "before" | "after">,
  ): Promise<void> {
    const driver = await this.#append(task, files, (seq) => settled(seq, [{ path, before, after }], tool));
    await ledgerOf(new LedgerFile(files.dir, { clock: systemClock }), driver, task, true).catchUp();
    await driver.close();
  }

  /** Let a task start a command that writes a file and is killed with its process. */
  async interrupt(task: string, files: Files, name: string, text: string): Promise<void> {
    files.write(name, text);
    const driver = await this.#append(task, files, (seq) => started(seq, "execute_command"));
    await driver.close();
  }

  /** Append a record to the journal of a task, which is created with the first one. */
  async #append(task: string, files: Files, record: (seq: number) => JournalDraft): Promise<JournalDriver> {
    const driver = fileJournal({ dir: taskFolder(this.#dataDir, task) });
    const seq = (this.#seqs.get(task) ?? 0) + 1;
    this.#seqs.set(task, seq);
    if (seq === 1) await driver.append([encodeLine(header(task, { workspace: files.dir }))], { first: true });
    await driver.append([encodeLine(record(seq))]);
    return driver;
  }
}
