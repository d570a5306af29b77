import path from "node:path";
import { type Exported, exportFolder, fileJournal } from "../../actors/index.ts";
import { asCliError, journalFolder } from "./journal-place.ts";

export interface ExportFlags {
  readonly force?: true;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

/**
 * Writes a task's folder of the frozen product.
 *
 * @throws CliError where there is no such task, or the folder has files of these names
 */
export async function exportTask(id: string, dir: string, flags: ExportFlags): Promise<string> {
  const driver = fileJournal({ dir: journalFolder(flags.dataDir, id) });
  const folder = path.resolve(dir);
  try {
    const exported = await exportFolder(driver, folder, { force: flags.force === true });
    return flags.format === "json"
      ? `${JSON.stringify({ type: "exported", taskId: id, folder, ...exported })}\n`
      : text(id, folder, exported);
  } catch (error) {
    throw asCliError(error);
  } finally {
    await driver.close();
  }
}

function text(id: string, folder: string, { rows, entries, tail }: Exported): string {
  const done = `Exported ${id} to ${folder}: ${rows} rows, ${entries} entries.\n`;
  if (tail === undefined) return done;
  return `${done}The journal's end, from line ${tail.line} on, was left out: ${tail.reason}.\n`;
}
