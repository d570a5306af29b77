import { z } from "zod";
import { PERMISSION_MODES, type SessionRule } from "../machines/tool-call/index.ts";

/** One of the permission modes. */
export const permissionModeSchema = z.enum(PERMISSION_MODES);

/** A rule of the session. */
export const sessionRuleSchema = z.object({
  level: z.enum(["allow", "ask", "deny"]),
  rule: z.string(),
}) satisfies z.ZodType<SessionRule>;
