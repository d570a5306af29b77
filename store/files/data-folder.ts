import path from "node:path";

/** Mode of every file in the data folder: conversations are private to their owner. */
export const PRIVATE_FILE = 0o600;
/** Mode of every folder in the data folder. */
export const PRIVATE_FOLDER = 0o700;

/** Folder of all tasks in a data folder. */
export const tasksFolder = (dataDir: string): string => path.resolve(dataDir, "tasks");

/** Folder of the workspaces' shadow repositories in a data folder. */
export const checkpointsRoot = (dataDir: string): string => path.join(dataDir, "checkpoints");

/** Folder of the worktrees and copies in which tasks work, in a data folder. */
export const worktreesRoot = (dataDir: string): string => path.resolve(dataDir, "worktrees");

/** Name of the lock in a task's folder. */
export const LOCK = "lock";
/** Name of the mark of a deleted subtask, in its parent's folder. */
export const deletedMark = (subtaskId: string): string => `deleted-${subtaskId}`;
