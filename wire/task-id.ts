/** A task id: it is also the name of a folder. */
export const TASK_ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;
