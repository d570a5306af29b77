import path from "node:path";
import { type Exported, exportFolder } from "../../store/exchange/export-folder.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { findTask } from "../../store/task-history/lookup.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface ExportFlags {
  readonly force?: true;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

export const define: Define = (command, { print }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .argument("<dir>", "folder to write to")
    .option("--force", "overwrite existing files")
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (id: string, dir: string, flags: ExportFlags) => print(await exportTask(id, dir, flags)));
};

/**
 * Export a task as a task folder of Roo Code.
 *
 * @throws CliError for an unknown task, or if the folder has files of these names
 */
function exportTask(given: string, dir: string, flags: ExportFlags): Promise<string> {
  return withCliErrors(async () => {
    const id = await findTask(flags.dataDir, given);
    const driver = fileJournal({ dir: taskFolder(flags.dataDir, id) });
    const folder = path.resolve(dir);
    try {
      const written = await exportFolder(driver, folder, { force: flags.force === true });
      return flags.format === "json"
        ? `${JSON.stringify({ type: "exported", taskId: id, folder, ...written })}\n`
        : formatExported(id, folder, written);
    } finally {
      await driver.close();
    }
  });
}

function formatExported(id: string, folder: string, { rows, entries, tail }: Exported): string {
  const done = `Exported ${id} to ${folder}: ${rows} messages, ${entries} conversation entries.\n`;
  if (tail === undefined) return done;
  return `${done}The end of the journal, from line ${tail.line}, was left out: ${tail.reason}.\n`;
}
