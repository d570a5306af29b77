import { once } from "node:events";
import { systemClock } from "../../../actors/index.ts";
import { fileJournal } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { LedgerFile } from "../../../store/ledger/ledger-file.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import { fileWrite, header, ledgerOf, settled } from "./ledger-rig.ts";

/**
 * Writes `count` records of one task and their lines, once its parent sends a message. Sends one when it is ready, and one
 * after each durable record.
 */
async function write(root: string, dataDir: string, task: string, count: number): Promise<void> {
  const driver = fileJournal({ dir: taskFolder(dataDir, task) });
  const ledger = ledgerOf(new LedgerFile(root, { clock: systemClock, lockWaitMs: 120_000 }), driver, task);
  await driver.append([encodeLine(header(task, { workspace: root }))]);
  process.send?.(0);
  await once(process, "message");
  for (let seq = 1; seq <= count; seq += 1) {
    const record = settled(seq, [fileWrite(`${task}-${seq}.txt`), fileWrite("both.txt")]);
    await driver.append([encodeLine(record)]);
    process.send?.(seq);
    ledger.add(record);
    // Lines of several records are appended together now and then.
    if (seq % 3 !== 0) await ledger.flushed();
  }
  await ledger.flushed();
  await driver.close();
  process.disconnect();
}

const [root = "", dataDir = "", task = "", count = ""] = process.argv.slice(2);
await write(root, dataDir, task, Number(count));
