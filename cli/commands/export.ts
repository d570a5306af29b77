import path from "node:path";
import { Option } from "commander";
import { type Exported, exportFolder } from "../../store/exchange/export-folder.ts";
import { exportInspect } from "../inspect-log.ts";
import type { Io } from "../io.ts";
import { formatLeftOut } from "../log/left-out.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { addTaskStoreOptions, type TaskStore, type TaskStoreFlags, withTaskStore } from "../task-store.ts";
import type { Define } from "./command.ts";

interface ExportFlags extends TaskStoreFlags {
  readonly as: "roo" | "inspect";
  readonly force?: true;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

export const define: Define = (command, { io, print }) => {
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
    .addOption(textOrJson());
  addTaskStoreOptions(command).action(async (id: string, to: string, flags: ExportFlags) =>
    print(await exportTask(id, to, flags, io)),
  );
};

/**
 * Export a task as a task folder of Roo Code, or as a log of Inspect.
 *
 * @throws CliError for an unknown task, or if files of these names exist
 */
function exportTask(given: string, to: string, flags: ExportFlags, io: Io): Promise<string> {
  return withTaskStore(flags, io, async ({ history, journal }) => {
    const id = await history.find(given);
    const exported = { id, to, journal };
    return flags.as === "inspect" ? exportToInspect(exported, flags) : exportToRoo(exported, flags);
  });
}

interface ExportedTask extends Pick<TaskStore, "journal"> {
  readonly id: string;
  /** The path to write to. */
  readonly to: string;
}

async function exportToInspect({ id, to, journal }: ExportedTask, flags: ExportFlags): Promise<string> {
  const { force = false, format } = flags;
  const file = path.resolve(to);
  const written = await exportInspect(id, file, { journal, force });
  const { events, leftOut } = written;
  return format === "json"
    ? `${JSON.stringify({ type: "exported", taskId: id, file, ...written })}\n`
    : [`Exported ${id} to ${file}: ${events} events.`, ...leftOut.map(formatLeftOut), ""].join("\n");
}

async function exportToRoo({ id, to, journal }: ExportedTask, flags: ExportFlags): Promise<string> {
  const driver = journal(id);
  const folder = path.resolve(to);
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
