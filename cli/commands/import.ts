import { randomUUID } from "node:crypto";
import path from "node:path";
import { printable } from "../../client/printable/printable.ts";
import { type Imported, importFolder } from "../../store/exchange/import-folder.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { assertChosenId, taskFolder } from "../../store/task-history/task-folder.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface ImportFlags {
  readonly id?: string;
  readonly workspace?: string;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

export const define: Define = (command, { print }) => {
  command
    .argument("<dir>", "folder with ui_messages.json and api_conversation_history.json")
    .option("--id <id>", "id of the imported task (default: a new UUID)")
    .option("-w, --workspace <dir>", "workspace of the task")
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (dir: string, flags: ImportFlags) => print(await importTask(dir, flags)));
};

/**
 * Import a task folder of Roo Code, and report the repairs.
 *
 * @throws CliError for an unusable folder or id, or an existing task
 */
function importTask(dir: string, { id, workspace, dataDir, format }: ImportFlags): Promise<string> {
  return withCliErrors(async () => {
    const taskId = id ?? randomUUID();
    assertChosenId(taskId);
    const driver = fileJournal({ dir: taskFolder(dataDir, taskId) });
    try {
      const folder = workspace === undefined ? {} : { workspace: path.resolve(workspace) };
      const options = { driver, taskId, importedAt: Date.now(), ...folder };
      return formatImported(await importFolder(path.resolve(dir), options), driver.path, format);
    } finally {
      await driver.close();
    }
  });
}

function formatImported(
  { taskId, rows, entries, report }: Imported,
  journal: string,
  format: ImportFlags["format"],
): string {
  if (format === "json")
    return `${JSON.stringify({ type: "imported", taskId, journal, rows, entries, mended: report })}\n`;
  const lines = report.map(
    ({ file, index, rule, what }) =>
      `  ${file} ${String(index).padStart(5)}  ${rule.padEnd(6)}  ${printable(what)}`,
  );
  return `${[
    `Imported as ${taskId}: ${rows} messages, ${entries} conversation entries.`,
    `Journal: ${journal}`,
    report.length === 0 ? "No repairs needed." : `Repairs: ${report.length}`,
    ...lines,
  ].join("\n")}\n`;
}
