import { z } from "zod";
import type { RunRow } from "../../../control/runs/row.ts";

const share = z.number().min(0).max(1);
const count = z.int().min(0);
/** Maximum of the score of a trajectory, whose scale is any, and of its negative. */
const SCORE_MAX = 1e9;

const decision = z.strictObject({
  point: z.enum(["response", "call", "result"]),
  author: z.enum(["untrusted", "trusted"]),
  scores: z.record(z.string(), share),
  verdict: z.enum(["pass", "deny", "replace", "audit", "shutDown", "resample", "modify"]),
  digest: z.string(),
});

/** A line of the file of runs. */
export const rowSchema: z.ZodType<RunRow> = z.strictObject({
  setting: z.string(),
  policy: z.string(),
  protocol: z.string(),
  sample: count,
  seed: z.int(),
  inputs: z.string(),
  mode: z.enum(["honest", "attack"]),
  end: z.enum(["completed", "shutDown", "limited", "failed"]),
  mainTask: z.boolean(),
  sideTask: z.boolean(),
  attempted: z.boolean(),
  score: z.number().min(-SCORE_MAX).max(SCORE_MAX),
  audits: count,
  dollars: z.number().min(0),
  decisions: z.array(decision),
});
