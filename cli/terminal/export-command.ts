import { open } from "node:fs/promises";
import path from "node:path";
import { printable } from "../../client/printable/printable.ts";
import { formatTask } from "../commands/show.ts";
import { CliError, errorMessage } from "../error.ts";
import { createStyle } from "../show/style.ts";
import { withCliErrors } from "../store-error.ts";
import { openFiles } from "../task-store.ts";
import { assertStarted, savedTasks } from "./saved-tasks.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** `/export`: writes the conversation to a file. */
export const exportCommand: SlashCommand = {
  usage: "/export [FILE]",
  about: "write the task to a new file: .json, .html (the debugger), or else text",
  run: exportTask,
};

const PLAIN = createStyle(process.stdout, { NO_COLOR: "1" });

async function exportTask(context: SlashContext, argument: string): Promise<void> {
  const { root, dataDir, say } = context;
  const history = savedTasks(context);
  assertStarted(context);
  await root.flushed();
  const task = await withCliErrors(() => history.read(root.id));
  const name = argument === "" ? `signalbox-${root.id.slice(0, 8)}.txt` : argument;
  const file = path.resolve(root.workspace, name);
  const options = { format: formatOf(file), store: openFiles(dataDir), style: PLAIN };
  await withCliErrors(() => writeNew(file, formatTask(task, options)));
  say(`Written: ${printable(file)}`);
}

function formatOf(file: string): "text" | "json" | "html" {
  const extension = path.extname(file).toLowerCase();
  if (extension === ".json") return "json";
  return extension === ".html" ? "html" : "text";
}

/** @throws CliError for a file that exists or can't be written */
async function writeNew(file: string, pieces: AsyncIterable<string>): Promise<void> {
  try {
    await using handle = await open(file, "wx");
    for await (const piece of pieces) await handle.write(piece);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${printable(file)} can't be written: ${errorMessage(error)}. Name a new file.`, {
      cause: error,
    });
  }
}
