import { DEFAULT_SUBTASK_LIMITS } from "../visualize/trace/subtask-queue.ts";

/** The server's limits (L14). */
export interface ServerBounds {
  /** Bytes of a request's body. Default 32 MiB: room for some images. */
  readonly bodyBytes: number;
  /** Open streams. Default 4096. */
  readonly streams: number;
  /** Events of each open task that are buffered for its streams. Default 1024. */
  readonly liveEvents: number;
  /** Characters of those events as JSON. The newest is always kept. Default 1 Mi. */
  readonly liveChars: number;
  /** Characters of one write to a stream. Default 64 Ki. */
  readonly chunkChars: number;
  /** Milliseconds after a write in which events are collected for the next one. A lone event is sent at once. Default 16. */
  readonly coalesceMs: number;
  /** Milliseconds between the heartbeats of a stream, which are comments. Default 15,000. */
  readonly heartbeatMs: number;
  /** Milliseconds after which a reader that takes nothing is disconnected. Default 30,000. */
  readonly stallMs: number;
  /** Milliseconds in which changes of the task list are collected. Default 100. */
  readonly listMs: number;
  /** Tasks of the list, the newest ones; open tasks are in it besides. Default 10,000. */
  readonly listTasks: number;
  /** Milliseconds in which a worker must take a command or open a task. Default 10,000. */
  readonly workerMs: number;
  /** Milliseconds in which a worker must answer about its tasks; later their journals do. Default 2,000. */
  readonly answerMs: number;
  /** Subtasks, of any depth, whose traces are sent with a task's. Default 64. */
  readonly subtaskTraces: number;
  /** Past events of these subtasks after which no further trace is begun. Default 20,000. */
  readonly subtaskEvents: number;
}

export const DEFAULT_SERVER_BOUNDS: ServerBounds = {
  bodyBytes: 32 * 1024 * 1024,
  streams: 4096,
  liveEvents: 1024,
  liveChars: 1024 * 1024,
  chunkChars: 64 * 1024,
  coalesceMs: 16,
  heartbeatMs: 15_000,
  stallMs: 30_000,
  listMs: 100,
  listTasks: 10_000,
  workerMs: 10_000,
  answerMs: 2_000,
  subtaskTraces: DEFAULT_SUBTASK_LIMITS.traces,
  subtaskEvents: DEFAULT_SUBTASK_LIMITS.events,
};
