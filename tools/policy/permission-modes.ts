import type { PermissionMode } from "../../machines/tool-call/index.ts";
import type { JudgedCall } from "./judged-call.ts";

/** Whether a call only reads, or asks. */
export function changesNothing({ tool: { effect } }: JudgedCall): boolean {
  return effect === "reads" || effect === "none" || effect === "asks";
}

/** Whether the mode allows a call that no rule is about, and that nothing speaks against. */
export function isAllowedIn(mode: PermissionMode, call: JudgedCall): boolean {
  if (call.isUnscoped) return false;
  if (mode === "auto-edit") return call.tool.effect === "writes" && hasPaths(call);
  return mode === "auto" && isInside(call);
}

const hasPaths = ({ items }: JudgedCall): boolean => items.every(({ kind }) => kind === "path");

function isInside(call: JudgedCall): boolean {
  const { tool, items, isSubtaskCompletion } = call;
  if (items.some(({ kind }) => kind === "host" || kind === "mcp")) return false;
  if (tool.effect === "executes") return items.every(({ kind }) => kind === "command");
  if (tool.effect === "none" || tool.effect === "delegates" || isSubtaskCompletion) return true;
  return hasPaths(call) || (tool.effect === "reads" && tool.requires !== undefined);
}
