import { z } from "zod";
import { ToolError } from "./error.ts";
import type { HookDecision } from "./hook.ts";

/** Unknown fields are errors: a misspelled `decision` would allow. */
const Decision = z.strictObject({
  decision: z.enum(["allow", "deny", "ask", "amend", "replace"]).optional(),
  reason: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  result: z.string().optional(),
  context: z.string().optional(),
});

/** Parse what a hook returned, or what it wrote as JSON. @throws ToolError `HOOK_INVALID`: what was expected, what came */
export function parseHookDecision(returned: unknown): HookDecision {
  const { success, data, error } = Decision.safeParse(returned);
  if (!success)
    throw new ToolError(
      "HOOK_INVALID",
      `expected a decision, received ${shown(returned)}: ${issueIn(error)}.`,
    );
  const { decision, reason, arguments: given, result, context } = data;
  return {
    ...(decision !== undefined && { decision }),
    ...(reason !== undefined && { reason }),
    ...(given !== undefined && { arguments: given }),
    ...(result !== undefined && { result }),
    ...(context !== undefined && { context }),
  };
}

const issueIn = ({ issues: [issue] }: z.ZodError): string =>
  issue === undefined ? "it is invalid" : `${issue.path.join(".")} ${issue.message}`.trim().slice(0, 300);

function shown(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
