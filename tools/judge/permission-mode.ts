import { type Opinion, PLAN } from "../../machines/judge/opinion.ts";
import type { PermissionMode } from "../../machines/tool-call/permissions.ts";
import type { JudgedCall } from "./call.ts";
import { allow, ask, deny } from "./grounds.ts";
import { type MatchedRules, mayBeDenied } from "./rules.ts";

/** The opinion of the permission mode. Mode `bypass` decides in place of a person, but does not evade a rule that denies. */
export function permissionModeOpinion(
  mode: PermissionMode,
  call: JudgedCall,
  rules: MatchedRules,
): Opinion | undefined {
  if (mode === "plan" && !changesNothing(call)) return PLAN;
  if (isAllowedIn(mode, call)) return { level: "permission", ...allow(`mode ${mode}`) };
  return mode === "bypass" ? bypass(call, mayBeDenied(call, rules)) : undefined;
}

function bypass({ isUnscoped }: JudgedCall, mayDeny: boolean): Opinion {
  const instead = (asked: string) => {
    if (isUnscoped && !mayDeny) return ask(`${asked}, and an intent is selected`);
    const because = `${asked}, and mode bypass asks nobody`;
    return mayDeny ? deny("mode bypass", because) : { ...allow("mode bypass"), because };
  };
  return { level: "substitute", because: "mode bypass asks nobody", instead };
}

/** Whether a call only reads, or asks. */
function changesNothing({ tool: { effect } }: JudgedCall): boolean {
  return effect === "reads" || effect === "none" || effect === "asks";
}

/** Whether the mode allows a call that no rule is about. */
function isAllowedIn(mode: PermissionMode, call: JudgedCall): boolean {
  if (call.isUnscoped) return false;
  if (mode === "auto-edit") return call.tool.effect === "writes" && hasPaths(call);
  return mode === "auto" && isInside(call);
}

const hasPaths = ({ items }: JudgedCall): boolean => items.every(({ kind }) => kind === "path");

function isInside(call: JudgedCall): boolean {
  const { tool, items, isSubtaskCompletion } = call;
  if (items.some(({ kind }) => kind === "host" || kind === "mcp")) return false;
  if (tool.effect === "executes") return call.isContained || items.every(({ kind }) => kind === "command");
  if (tool.effect === "none" || tool.effect === "delegates" || isSubtaskCompletion) return true;
  return hasPaths(call) || (tool.effect === "reads" && tool.requires !== undefined);
}
