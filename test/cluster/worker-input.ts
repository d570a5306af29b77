import { z } from "zod";

/** The argument of `worker.child.ts`. */
export const WorkerInput = z.object({
  url: z.string(),
  /** URL of the mock server. */
  mock: z.string(),
  /** The file that the tool appends to. */
  effects: z.string(),
  leaseMs: z.number(),
  idleMs: z.number(),
  drainMs: z.number(),
  pools: z.array(z.string()).exactOptional(),
});
