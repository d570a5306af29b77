import { stat } from "node:fs/promises";
import path from "node:path";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { CliError } from "../error.ts";
import { withCliErrors } from "../store-error.ts";
import { FolderCounter } from "./folder-counter.ts";
import { type RecordedCounts, TransitionCounter } from "./transition-counter.ts";

/**
 * Count the transitions that the task of a journal took, or all tasks of a data folder.
 *
 * @throws CliError for a path without journals, and for a journal that can't be read, if it is the only one
 */
export async function countRecorded(place: string, machine: typeof taskMachine): Promise<RecordedCounts> {
  const counts = await withCliErrors(async () =>
    (await isFolder(place)) ? new FolderCounter(place, machine).count() : countJournal(place, machine),
  );
  const { tasks, damaged } = counts.tasks;
  if (tasks > 0 || damaged.length > 0) return counts;
  throw new CliError(
    `--counts: expected a journal, or a data folder with tasks, got ${place}, which has none.`,
  );
}

/** Whether a path is a folder: not if nothing is there. */
export const isFolder = async (place: string): Promise<boolean> =>
  (await stat(place).catch(() => undefined))?.isDirectory() === true;

async function countJournal(file: string, machine: typeof taskMachine): Promise<RecordedCounts> {
  const counter = new TransitionCounter(machine);
  await counter.add(file, () => fileJournal({ dir: path.dirname(file), file: path.basename(file) }));
  return counter.counts;
}
