import path from "node:path";
import { Option } from "commander";
import { type Exported, exportFolder } from "../../store/exchange/export-folder.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { fileHistory } from "../../store/task-history/file-history.ts";
import { findTask } from "../../store/task-history/lookup.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { exportInspect } from "../inspect-log.ts";
import { formatLeftOut } from "../log/left-out.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface ExportFlags {
  readonly as: "roo" | "inspect";
  readonly force?: true;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

export const define: Define = (command, { print }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .argument("<path>", "folder to write to; with --as inspect a file that ends with .eval or .json")
    .addOption(
      new Option("--as <format>", "a task folder of Roo Code, or a log of Inspect with all subtasks")
        .choices(["roo", "inspect"])
        .default("roo"),
    )
    .option("--force", "overwrite existing files")
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (id: string, to: string, flags: ExportFlags) => print(await exportTask(id, to, flags)));
};

/**
 * Export a task as a task folder of Roo Code, or as a log of Inspect.
 *
 * @throws CliError for an unknown task, or if files of these names exist
 */
function exportTask(given: string, to: string, flags: ExportFlags): Promise<string> {
  return withCliErrors(async () => {
    const id = await findTask(fileHistory(flags.dataDir), given);
    return flags.as === "inspect" ? exportToInspect(id, to, flags) : exportToRoo(id, to, flags);
  });
}

async function exportToInspect(id: string, to: string, flags: ExportFlags): Promise<string> {
  const { dataDir, force = false, format } = flags;
  const file = path.resolve(to);
  const written = await exportInspect(id, file, { dataDir, force });
  const { events, leftOut } = written;
  return format === "json"
    ? `${JSON.stringify({ type: "exported", taskId: id, file, ...written })}\n`
    : [`Exported ${id} to ${file}: ${events} events.`, ...leftOut.map(formatLeftOut), ""].join("\n");
}

async function exportToRoo(id: string, dir: string, flags: ExportFlags): Promise<string> {
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
}

function formatExported(id: string, folder: string, { rows, entries, tail }: Exported): string {
  const done = `Exported ${id} to ${folder}: ${rows} messages, ${entries} conversation entries.\n`;
  return tail === undefined ? done : `${done}${formatLeftOut({ taskId: id, tail })}\n`;
}
