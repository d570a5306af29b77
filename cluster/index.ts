/** Workers for tasks in PostgreSQL (docs/guide/postgres.md). Needs Node 22.12 or later. */
export { ClusterError } from "./error.ts";
export type { DeliveredWake, ParkedTask } from "./wakes/queues.ts";
export { openWakes, type PostgresWakes, type WakesOptions, type WakesStore } from "./wakes/wakes.ts";
export {
  createWorker,
  type ServedHost,
  type Worker,
  type WorkerOptions,
  type WorkerStore,
} from "./worker/worker.ts";
