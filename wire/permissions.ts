import * as z from "zod";
import { PERMISSION_MODES, type SessionRule } from "../machines/tool-call/permissions.ts";

/** One of the permission modes. */
export const permissionModeSchema = z.enum(PERMISSION_MODES);

/** A rule of the session. */
export const sessionRuleSchema = z.object({
  level: z.enum(["allow", "ask", "deny"]),
  rule: z.string(),
}) satisfies z.ZodType<SessionRule>;

/** A change of the permissions. Absent properties stay as they are; `rules` replaces the rules of the session. */
export const permissionChangeSchema = z.object({
  mode: permissionModeSchema.exactOptional(),
  rules: z.array(sessionRuleSchema).exactOptional(),
});
