import { type FSWatcher, mkdirSync, readdirSync, watch } from "node:fs";
import path from "node:path";
import { PRIVATE_FOLDER, tasksFolder, worktreesRoot } from "../files/data-folder.ts";
import { systemCode } from "../files/system-code.ts";
import { toHistoryError } from "./error.ts";

/** Called with what happens to the tasks of a data folder. */
export interface TaskWatcher {
  /** A file of the task changed: its journal, its lock or its name, or the record of files of its own. It may have been deleted. */
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
  const tasks = openWatcher(folder, { recursive: true }, onError);
  tasks.on("change", (_, name) => {
    const [taskId = ""] = String(name).split(path.sep, 1);
    // The index of the list, and files that are being written.
    if (taskId !== "" && !taskId.startsWith(".")) onChange(taskId);
  });
  const worktrees = new WorktreeRecords(worktreesRoot(dataDir), { onChange, onError });
  return () => {
    tasks.close();
    worktrees.close();
  };
}

/** @throws TaskHistoryError `HISTORY_IO` */
function openWatcher(
  folder: string,
  options: { readonly recursive: boolean },
  onError: TaskWatcher["onError"],
): FSWatcher {
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const watcher = watch(folder, { ...options, persistent: false });
    watcher.on("error", (error) => onError(toHistoryError(folder, error)));
    return watcher;
  } catch (error) {
    throw toHistoryError(folder, error);
  }
}

/** Watches the records of worktrees and copies, which are beside their files. The files themselves are not watched. */
class WorktreeRecords {
  readonly #folder: string;
  readonly #watcher: TaskWatcher;
  readonly #root: FSWatcher;
  readonly #records = new Map<string, FSWatcher>();

  constructor(folder: string, watcher: TaskWatcher) {
    this.#folder = folder;
    this.#watcher = watcher;
    this.#root = openWatcher(folder, { recursive: false }, watcher.onError);
    this.#root.on("change", (_, name) => this.#add(String(name)));
    for (const name of readdirSync(folder)) this.#add(name);
  }

  close(): void {
    for (const watcher of [this.#root, ...this.#records.values()]) watcher.close();
  }

  /** Watch the folder of a task that has appeared. */
  #add(taskId: string): void {
    const { onChange, onError } = this.#watcher;
    this.#records.get(taskId)?.close();
    this.#records.delete(taskId);
    const folder = path.join(this.#folder, taskId);
    try {
      const watcher = watch(folder, { persistent: false });
      watcher.on("change", () => onChange(taskId));
      // The folder was removed.
      watcher.on("error", () => watcher.close());
      this.#records.set(taskId, watcher);
      onChange(taskId);
    } catch (error) {
      if (!["ENOENT", "ENOTDIR"].includes(systemCode(error))) onError(toHistoryError(folder, error));
    }
  }
}
