import { randomUUID } from "node:crypto";
import path from "node:path";
import { fileJournal, type Imported, importFolder, taskFolder } from "../../store/index.ts";
import { printable } from "../show/index.ts";
import { withCliErrors } from "./history-error.ts";

export interface ImportFlags {
  readonly id?: string;
  readonly workspace?: string;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

/**
 * Import a task folder of Roo Code, and report the repairs.
 *
 * @throws CliError where the folder or the id can't be used, or the task is there already
 */
export const importTask = (dir: string, flags: ImportFlags): Promise<string> =>
  withCliErrors(() => imported(dir, flags));

async function imported(dir: string, flags: ImportFlags): Promise<string> {
  const taskId = flags.id ?? randomUUID();
  const driver = fileJournal({ dir: taskFolder(flags.dataDir, taskId) });
  try {
    const found = await importFolder(path.resolve(dir), {
      driver,
      taskId,
      importedAt: Date.now(),
      ...(flags.workspace !== undefined && { workspace: path.resolve(flags.workspace) }),
    });
    return flags.format === "json" ? json(found, driver.path) : text(found, driver.path);
  } finally {
    await driver.close();
  }
}

const json = ({ taskId, rows, entries, report }: Imported, journal: string): string =>
  `${JSON.stringify({ type: "imported", taskId, journal, rows, entries, mended: report })}\n`;

function text({ taskId, rows, entries, report }: Imported, journal: string): string {
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
