import { z } from "zod";
import { FormulaSchema } from "./formula-schema.ts";
import type { TemporalPolicy } from "./policy.ts";

/** Maximum policies of a file, and clauses of one. */
const POLICIES_MAX = 100;

const Name = z
  .string()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} .,_-]{0,99}$/u,
    "expected a name of 1 to 100 letters, digits, blanks, '.', ',', '_' and '-'. Rename it.",
  );

const ClauseSchema = z.strictObject({ name: Name, always: FormulaSchema });

/** A policy, as a file has it. */
export const PolicySchema = z.strictObject({
  name: Name,
  clauses: z.array(ClauseSchema).min(1).max(POLICIES_MAX),
}) satisfies z.ZodType<TemporalPolicy>;

/** The content of a file of policies. */
export const PolicyFileSchema = z.strictObject({
  version: z.literal(1),
  policies: z.array(PolicySchema).min(1).max(POLICIES_MAX),
});
