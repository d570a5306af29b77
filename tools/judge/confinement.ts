import type { CallPath } from "../../machines/tool-call/call.ts";
import type { ResolvedPath } from "../../ports/workspace.ts";
import type { JudgedCall } from "./call.ts";

/** The first path that a file tool can't use: one outside the workspace, or one that `.rooignore` denies (L9). */
export const deniedPath = ({ tool, description }: JudgedCall): ResolvedPath | undefined =>
  tool.group === "read" || tool.group === "edit"
    ? description.paths.find(({ inside, ignored }) => !inside || ignored)
    : undefined;

/** The error of a call whose path is not permitted, for the model. `named`: the paths of the call before its amendment. */
export function confinementError(
  call: JudgedCall,
  named: readonly CallPath[] | undefined,
): string | undefined {
  const denied = deniedPath(call);
  if (denied === undefined) return addedPathError(call, named);
  if (!denied.inside)
    return `'${denied.path}' is outside the workspace ${call.workspace}: expected a path inside it, also after symlinks. Use one.`;
  const advice = "Continue without this file, or ask the user to change the rules.";
  return denied.unreadableRules ?? `Access to '${denied.path}' is blocked by .rooignore. ${advice}`;
}

function addedPathError(
  { tool, description }: JudgedCall,
  named: readonly CallPath[] | undefined,
): string | undefined {
  if (named === undefined) return undefined;
  const known = new Set(named.map(({ real }) => real));
  const added = description.paths.find(({ real }) => !known.has(real));
  return added && `The amendment of ${tool.name} adds the path '${added.path}': expected none. Leave it out.`;
}
