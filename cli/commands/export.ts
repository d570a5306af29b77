import path from "node:path";
import { type Exported, exportFolder, fileJournal, findTask, taskFolder } from "../../store/index.ts";
import { withCliErrors } from "./history-error.ts";

export interface ExportFlags {
  readonly force?: true;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

/**
 * Export a task as a task folder of Roo Code.
 *
 * @throws CliError where there is no such task, or the folder has files of these names
 */
export const exportTask = (given: string, dir: string, flags: ExportFlags): Promise<string> =>
  withCliErrors(() => exported(given, dir, flags));

async function exported(given: string, dir: string, flags: ExportFlags): Promise<string> {
  const id = await findTask(flags.dataDir, given);
  const driver = fileJournal({ dir: taskFolder(flags.dataDir, id) });
  const folder = path.resolve(dir);
  try {
    const written = await exportFolder(driver, folder, { force: flags.force === true });
    return flags.format === "json"
      ? `${JSON.stringify({ type: "exported", taskId: id, folder, ...written })}\n`
      : text(id, folder, written);
  } finally {
    await driver.close();
  }
}

function text(id: string, folder: string, { rows, entries, tail }: Exported): string {
  const done = `Exported ${id} to ${folder}: ${rows} messages, ${entries} conversation entries.\n`;
  if (tail === undefined) return done;
  return `${done}The end of the journal, from line ${tail.line}, was left out: ${tail.reason}.\n`;
}
