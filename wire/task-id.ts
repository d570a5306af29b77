/**
 * Maximum characters of a task id. It is also the name of a folder, for which file systems allow 255 bytes, some with
 * encryption fewer.
 */
export const TASK_ID_MAX_CHARS = 200;

/** Maximum characters of the id that a caller chooses for a task. The ids of its subtasks are longer. */
export const CHOSEN_ID_MAX_CHARS = 128;

/** A task id: it is also the name of a folder. */
export const TASK_ID = new RegExp(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,${TASK_ID_MAX_CHARS - 1}}$`);
