import { z } from "zod";

/** What came of it: figures, or for a fault what the library did. */
export const Outcome = z.object({
  cpuMs: z.number().optional(),
  wallMs: z.number().optional(),
  peakBytes: z.number().optional(),
  bytesPerAgent: z.number().optional(),
  verdict: z.enum(["pass", "error", "FAIL"]).optional(),
  what: z.string().optional(),
});
export type Outcome = z.infer<typeof Outcome>;
