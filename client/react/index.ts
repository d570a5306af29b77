/**
 * signalbox/react: a task as React state, of this process, of a server, or behind a bridge (docs/guide/react.md). It needs
 * `react`, and no module of Node.
 */
export { clientSource } from "./client-source.ts";
export { localSource } from "./local-source.ts";
export { type ServerTask, serverSource } from "./server-source.ts";
export type { ActionResult, TaskSource, TaskView } from "./task-source.ts";
export { type ShownAsk, type UsedTask, useTask } from "./use-task.ts";
