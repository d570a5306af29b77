import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { deletedMark, PRIVATE_FOLDER, tasksFolder } from "../files/data-folder.ts";
import { writePrivateFile } from "../files/replace-file.ts";
import { syncFolders } from "../files/sync-folders.ts";
import { systemCode } from "../files/system-code.ts";
import { fileJournal } from "../journal/file.ts";
import { toHistoryError } from "./error.ts";
import { writeName } from "./file-name.ts";
import { headerOf } from "./header.ts";
import type { HeldTask, HistoryStore } from "./history-store.ts";
import { hasJournal, journalBytes, taskIds } from "./lookup.ts";
import type { TaskSummary } from "./summary.ts";
import { taskFolder } from "./task-folder.ts";
import { readIndex, writeIndex } from "./task-index.ts";
import { listTasks, readFacts, summarizeTask } from "./task-list.ts";
import { watchTasks } from "./watch-tasks.ts";

const TRASH = ".deleted-";

/** The tasks in the files of a data folder. */
export function fileHistory(dataDir: string): HistoryStore {
  const folderOf = (id: string): string => taskFolder(dataDir, id);
  return {
    place: tasksFolder(dataDir),
    kind: "data folder",
    journal: (id) => fileJournal({ dir: folderOf(id) }),
    ids: () => taskIds(dataDir),
    async idsFrom(prefix) {
      const ids = (await taskIds(dataDir)).filter((id) => id.startsWith(prefix));
      const exists = await Promise.all(ids.map((id) => hasJournal(folderOf(id))));
      return ids.filter((_, index) => exists[index] === true);
    },
    bytes: async (id) => journalBytes(folderOf(id)),
    header: async (id) => headerOf(dataDir, id),
    facts: async (id) => readFacts(folderOf(id)),
    list: (options) => listTasks({ ...options, dataDir }),
    summary: (id) => summarizeTask(dataDir, id),
    descendants: async (id) => descendantsIn(await listTasks({ dataDir }), id),
    rename: async (id, name) => writeName(folderOf(id), name),
    hold: (id) => holdFolder(dataDir, id),
    async removed(ids) {
      const index = await readIndex(dataDir);
      await writeIndex(dataDir, new Map([...index].filter(([id]) => !ids.includes(id))));
      await emptyTrash(dataDir);
    },
    createFork: (id, lines) => createFolder(dataDir, id, lines),
    watch: (watcher) => watchTasks(dataDir, watcher),
  };
}

/** All subtasks of a task, parents before their subtasks. */
function descendantsIn(tasks: readonly TaskSummary[], id: string): readonly string[] {
  const found = [id];
  for (const parent of found)
    for (const task of tasks) if (task.parentId === parent && !found.includes(task.id)) found.push(task.id);
  return found.slice(1);
}

async function holdFolder(dataDir: string, id: string): Promise<HeldTask> {
  const folder = taskFolder(dataDir, id);
  const driver = fileJournal({ dir: folder });
  try {
    await driver.own();
  } catch (error) {
    await driver.close();
    throw error;
  }
  return {
    /** Rename the folder, atomically, to a name that is not a task id. A mark counts only once the journal is gone. */
    async remove(parentId) {
      try {
        if (parentId !== undefined) await mark(taskFolder(dataDir, parentId), id);
        await rename(folder, path.join(tasksFolder(dataDir), `${TRASH}${randomUUID()}`));
        await syncFolders(tasksFolder(dataDir));
      } catch (error) {
        throw toHistoryError(folder, error);
      }
    },
    close: () => driver.close(),
  };
}

/** Mark a subtask as deleted in the folder of its parent, with which the mark goes. */
async function mark(folder: string, id: string): Promise<void> {
  try {
    await writePrivateFile(path.join(folder, deletedMark(id)), "");
    await syncFolders(folder);
  } catch (error) {
    // Without its parent, nothing can create the subtask again.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Remove renamed folders, also those that a crash left. */
async function emptyTrash(dataDir: string): Promise<void> {
  const folder = tasksFolder(dataDir);
  try {
    const trash = (await readdir(folder)).filter((name) => name.startsWith(TRASH));
    for (const name of trash) await rm(path.join(folder, name), { recursive: true, force: true });
  } catch (error) {
    throw toHistoryError(folder, error);
  }
}

/** Write a journal to a folder that is no task, and rename it: an earlier crash leaves no task. */
async function createFolder(
  dataDir: string,
  id: string,
  lines: AsyncIterable<readonly string[]>,
): Promise<boolean> {
  const target = taskFolder(dataDir, id);
  const draft = path.join(tasksFolder(dataDir), `.fork-${randomUUID()}`);
  try {
    await mkdir(draft, { mode: PRIVATE_FOLDER });
    const driver = fileJournal({ dir: draft });
    try {
      for await (const batch of lines) if (batch.length > 0) await driver.append(batch);
    } finally {
      await driver.close();
    }
    await rename(draft, target);
    await syncFolders(tasksFolder(dataDir));
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (systemCode(error) === "ENOTEMPTY" || systemCode(error) === "EEXIST") return false;
    throw toHistoryError(target, error);
  }
}
