import { homedir } from "node:os";
import path from "node:path";
import { fileHistory } from "../../store/task-history/file-history.ts";
import { historyOf, type TaskHistory } from "../../store/task-history/task-history.ts";
import { readOwnFiles } from "./own-files.ts";
import { searchTasks } from "./search.ts";

/** Options of the task history. */
export interface TaskHistoryOptions {
  /** Data directory of the journals. Default `~/.signalbox`. */
  readonly dataDir?: string;
}

/**
 * Open the task history. A host with its own journals (`createHost({ journal })`) has none here:
 * a database has its own, `openPostgres(...).history`.
 *
 * @example
 * ```ts
 * import { openHistory } from "signalbox";
 * const history = openHistory({ dataDir: "./tasks" });
 * for (const { id, title, state, cost } of await history.list({ workspace: ".", limit: 10 })) {
 *   console.log(id, state, cost === null ? "unknown" : `$${cost.toFixed(4)}`, title);
 * }
 * const [newest] = await history.list();
 * if (newest !== undefined) {
 *   const { rows } = await history.read(newest.id);
 *   const half = rows[Math.floor(rows.length / 2)];
 *   if (half !== undefined) await history.fork(newest.id, { at: half.seq });
 * }
 * ```
 */
export function openHistory({
  dataDir = path.join(homedir(), ".signalbox"),
}: TaskHistoryOptions = {}): TaskHistory {
  return historyOf(fileHistory(dataDir), {
    search: (search) => searchTasks(dataDir, search),
    ownFiles: (ids) => readOwnFiles(dataDir, ids),
  });
}
