import { z } from "zod";

/** The argument of `worker.child.ts`. */
export const WorkerInput = z.object({
  url: z.string(),
  /** URL of the mock server. */
  mock: z.string(),
  /** The file that the tool appends to. */
  effects: z.string(),
  leaseMs: z.number(),
  /** The workspace of tasks that servers start. */
  folder: z.string(),
});
export type WorkerInput = z.output<typeof WorkerInput>;
