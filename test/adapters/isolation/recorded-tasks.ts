import { systemClock } from "../../../actors/protocol/edge.ts";
import { fileJournal } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { LedgerFile } from "../../../store/ledger/ledger-file.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import { fileWrite } from "../../../tools/changed-file.ts";
import { header, ledgerOf, settled } from "../../store/ledger/ledger-rig.ts";
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
    const driver = fileJournal({ dir: taskFolder(this.#dataDir, task) });
    const before = files.has(name) ? files.bytes(name) : null;
    files.write(name, text);
    const seq = (this.#seqs.get(task) ?? 0) + 1;
    this.#seqs.set(task, seq);
    const written = fileWrite({ path: name, before, after: Buffer.from(text) }, undefined);
    if (seq === 1) await driver.append([encodeLine(header(task, { workspace: files.dir }))], { first: true });
    await driver.append([encodeLine(settled(seq, [written]))]);
    if (fate === undefined)
      await ledgerOf(new LedgerFile(files.dir, { clock: systemClock }), driver, task, true).catchUp();
    await driver.close();
  }
}
