import { z } from "zod";

/** The argument of `run.child.ts`. */
export const RunInput = z.object({
  /** Seed of the order of the faults and of the commands. */
  seed: z.int(),
  tasks: z.int().positive(),
  workers: z.int().positive(),
  servers: z.int().positive(),
  /** Time in which tasks are started and faults occur, in seconds. */
  seconds: z.number().positive(),
  /** Time after the last fault in which the tasks must end, in seconds. */
  healSeconds: z.number().positive(),
  /** Where the history is written. */
  folder: z.string(),
  /** The programs. */
  worker: z.string(),
  server: z.string(),
  migration: z.string(),
});
export type RunInput = z.output<typeof RunInput>;

/** The figures of a run. */
export const RunFigures = z.object({
  /** Faults that occurred, by kind. */
  faults: z.record(z.string(), z.number()),
  /** Reasons why a kind of fault did not occur. */
  skipped: z.array(z.string()),
  /** Times that processes were started, by kind. */
  starts: z.record(z.string(), z.number()),
  /** The exit codes of the workers at the end; null: ended by a signal. */
  workerExits: z.array(z.number().nullable()),
  /** Connections of clients to streams. */
  connections: z.number(),
  /** Tasks whose wakes failed too often, and that were woken again by hand. */
  parked: z.number(),
  /** The tasks that had not ended in time. */
  working: z.array(z.string()),
  /** Time from the last fault until then, in seconds. */
  healedSeconds: z.number(),
});
export type RunFigures = z.output<typeof RunFigures>;
