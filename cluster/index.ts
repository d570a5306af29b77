/** Workers for tasks in PostgreSQL (docs/guide/postgres.md). Needs Node 22.12 or later. */
export { ClusterError } from "./error.ts";
export type { ParkedTask } from "./wakes/queues.ts";
export { openWakes, type PostgresWakes, type WakesOptions } from "./wakes/wakes.ts";
export { type TaskInboxOptions, taskInbox } from "./worker/task-inbox.ts";
export { createWorker, type TaskInbox, type Worker, type WorkerOptions } from "./worker/worker.ts";
