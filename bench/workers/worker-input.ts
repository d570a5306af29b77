import { z } from "zod";

/** The argument of a process of the bench. */
export const WorkerInput = z.object({
  /** `embedded`: one process with journals in files. */
  kind: z.enum(["worker", "embedded"]),
  url: z.string(),
  /** The folder of the journals of `embedded`. */
  journals: z.string(),
  /** The working directory of the process and of its tasks. */
  workspace: z.string(),
  /** The turns of a task; 0: its only response never ends. */
  turns: z.number(),
  /** The tasks of `embedded`. */
  tasks: z.number(),
  /** Maximum number of tasks that a worker has open at once. */
  atOnce: z.number(),
});
export type WorkerInput = z.infer<typeof WorkerInput>;

/** A request to a process. `stop`: a worker drains, and the process ends. */
export const WorkerRequest = z.enum(["go", "memory", "stop"]);
export type WorkerRequest = z.infer<typeof WorkerRequest>;

/** A report of a process. */
export const WorkerReport = z.discriminatedUnion("type", [
  /** The modules are loaded, and a worker has its connections. It waits for the request `go`. */
  z.object({ type: z.literal("loaded") }),
  /** The worker takes tasks. */
  z.object({ type: z.literal("ready") }),
  /** The number of tasks whose first request was made, or that have completed and are closed. */
  z.object({ type: z.enum(["begun", "ended"]), tasks: z.number() }),
  /** The heap after a collection, and the resident memory, in bytes. */
  z.object({ type: z.literal("memory"), heap: z.number(), resident: z.number() }),
  z.object({ type: z.literal("failed"), message: z.string() }),
]);
export type WorkerReport = z.infer<typeof WorkerReport>;
