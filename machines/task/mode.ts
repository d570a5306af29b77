import type { TaskContext } from "./task.context.ts";

/** The mode of a task that names none. */
export const DEFAULT_MODE = "code";

/** The slug of a mode. */
export const MODE_SLUG = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The mode of the open request, for its actors. */
export const requestMode = ({ requestMode: opened, mode }: TaskContext): string => opened ?? mode;

/** The mode as a fact of a commit. The default one is recorded only by a switch to it. */
export const modeFact = ({ mode }: TaskContext): Pick<Partial<TaskContext>, "mode"> =>
  mode === DEFAULT_MODE ? {} : { mode };
