import type { PermissionMode, SessionRule } from "../../machines/tool-call/permissions.ts";
import { parseRules } from "../policy/permission-rule.ts";

/** Permissions to try: a mode in place of each call's own, and rules that are added to its session. */
export interface HypotheticalPermissions {
  readonly mode?: PermissionMode;
  readonly rules: readonly SessionRule[];
}

interface GivenPermissions {
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** The permissions to try, from where `origin` says. @throws ToolError `RULE_INVALID` */
export function hypotheticalPermissions(
  { mode, allow = [], deny = [] }: GivenPermissions,
  origin: string,
): HypotheticalPermissions {
  parseRules([{ origin, allow, deny }]);
  const rules: readonly SessionRule[] = [
    ...allow.map((rule) => ({ level: "allow", rule }) as const),
    ...deny.map((rule) => ({ level: "deny", rule }) as const),
  ];
  return { rules, ...(mode !== undefined && { mode }) };
}
