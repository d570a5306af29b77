import { type FSWatcher, mkdirSync, watch } from "node:fs";
import path from "node:path";
import { PRIVATE_FOLDER, tasksFolder } from "../files/data-folder.ts";
import { toHistoryError } from "./error.ts";

/** Called with what happens to the tasks of a data folder. */
export interface TaskWatcher {
  /** A file of the task changed: its journal, its lock or its name. The task may have been deleted. */
  readonly onChange: (taskId: string) => void;
  /** The folder can't be watched any longer. */
  readonly onError: (error: unknown) => void;
}

/**
 * Watch the tasks of a data folder, whichever process writes them, until the returned function is called. The file system
 * reports the changes: where it can't, as on some network shares, nothing is reported.
 *
 * @throws TaskHistoryError `HISTORY_IO`
 */
export function watchTasks(dataDir: string, { onChange, onError }: TaskWatcher): () => void {
  const folder = tasksFolder(dataDir);
  let watcher: FSWatcher;
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    watcher = watch(folder, { recursive: true, persistent: false });
  } catch (error) {
    throw toHistoryError(folder, error);
  }
  watcher.on("change", (_, name) => {
    const [taskId = ""] = String(name).split(path.sep, 1);
    // The index of the list, and files that are being written.
    if (taskId !== "" && !taskId.startsWith(".")) onChange(taskId);
  });
  watcher.on("error", (error) => onError(toHistoryError(folder, error)));
  return () => watcher.close();
}
