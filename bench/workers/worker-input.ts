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
  /** Tasks that each process runs before it reports that it is loaded: it compiles what they use. */
  warmUp: z.number(),
  /** Maximum number of tasks that a worker has open at once. */
  atOnce: z.number(),
});
export type WorkerInput = z.infer<typeof WorkerInput>;

/** A request to a process. `stop`: a worker drains, and the process ends. */
export const WorkerRequest = z.enum(["go", "usage", "stop"]);
export type WorkerRequest = z.infer<typeof WorkerRequest>;

/** A report of a process. */
export const WorkerReport = z.discriminatedUnion("type", [
  /** The modules are loaded, a worker has its connections, and the first tasks have ended. It waits for the request `go`. */
  z.object({ type: z.literal("loaded") }),
  /** The worker takes tasks. */
  z.object({ type: z.literal("ready") }),
  /** The number of tasks whose first request was made, or that have completed and are closed. */
  z.object({ type: z.enum(["begun", "ended"]), tasks: z.number() }),
  /** The heap after a collection and the resident memory in bytes, and the CPU time of the process until then in ms. */
  z.object({ type: z.literal("usage"), heap: z.number(), resident: z.number(), cpuMs: z.number() }),
  z.object({ type: z.literal("failed"), message: z.string() }),
]);
export type WorkerReport = z.infer<typeof WorkerReport>;

export type Usage = Omit<Extract<WorkerReport, { type: "usage" }>, "type">;
