import { PERMISSION_MODES, type PermissionMode } from "../../machines/tool-call/permissions.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { byRules, DEFAULT_ALLOW, type RulePolicy } from "../../tools/judge/by-rules.ts";
import type { PermissionSource } from "../../tools/policy/permission-rule.ts";

/** The permissions of the command without settings. */
const BUILT_IN: PermissionSource = {
  origin: "built-in rules",
  allow: [...DEFAULT_ALLOW, "tool(update_todo_list)"],
};

/** The policy of a run, and the permission mode in which a task begins. */
export interface RunPermissions {
  readonly policy: RulePolicy;
  /** The rules of the policy. */
  readonly sources: readonly PermissionSource[];
  readonly mode: PermissionMode;
}

/** `asksAlways`: the user asked to see every call, so no rule allows one. */
export function runPermissions(
  { settings, rules }: Pick<LoadedSettings, "settings" | "rules">,
  asksAlways: boolean,
): RunPermissions {
  const mode = settings.permissions?.mode ?? "ask";
  const sources = asksAlways
    ? rules.map(({ origin, ask = [], deny = [] }) => ({ origin, ask, deny }))
    : [BUILT_IN, ...rules];
  return { policy: byRules({ sources }), sources, mode: asksAlways ? stricter(mode, "ask") : mode };
}

/** The stricter one of two permission modes. */
export const stricter = (a: PermissionMode, b: PermissionMode): PermissionMode =>
  PERMISSION_MODES.indexOf(a) < PERMISSION_MODES.indexOf(b) ? a : b;
