import type { IntentFinding, TaskIntent } from "../../machines/tool-call/intent.ts";
import { messageOf } from "../../tools/error.ts";
import { changedSinceRead } from "../../tools/file-version.ts";
import {
  activeIds,
  activeIntent,
  INTENTS_FILE,
  type Intent,
  type ReadIntents,
} from "../../tools/intents/intent.ts";
import { formatScope, pathOutside, scopeRule } from "../../tools/intents/scope.ts";
import type { Description, Tool } from "../../tools/tool.ts";

/** A call whose arguments are complete. */
export interface IntendedCall {
  readonly tool: Pick<Tool, "name" | "group" | "effect">;
  readonly description: Pick<Description, "paths" | "fetches" | "mcp">;
  /** The folder of the workspace. */
  readonly workspace: string;
  /** Resolves to a file that the call writes, and that has changed since the task read it. */
  readonly changed?: () => Promise<string | undefined>;
}

/**
 * How a call stands to the intent of its task, by its real paths and the canonical name of its tool. Undefined for one
 * that has no effect. The intents are read as they are now: one that was ended or narrowed refuses at once.
 */
export async function intentFinding(
  intent: TaskIntent | undefined,
  read: ReadIntents,
  call: IntendedCall,
): Promise<IntentFinding | undefined> {
  if (intent === undefined || !mayHaveEffect(call)) return undefined;
  const intents = await readOr(read);
  if (typeof intents === "string") return refused(INTENTS_FILE, intents);
  if (intent.stage === "required") {
    const first = "select an intent first, with select_active_intent, then send the call again";
    return refused(INTENTS_FILE, `${first}. ${activeIds(intents)}`);
  }
  const active = activeIntent(intents, intent.id);
  if (typeof active === "string") return refused(INTENTS_FILE, `${active} Select one of them, or stop.`);
  const finding = findingOf(active, call);
  const changed = finding.kind === "refused" ? undefined : await call.changed?.();
  return changed === undefined ? finding : refused("content hash", changedSinceRead(changed).message);
}

/** The reason why a call can't select the intent, for the model; undefined if it can. */
export async function selectionError(id: string, read: ReadIntents): Promise<string | undefined> {
  const intents = await readOr(read);
  const active = typeof intents === "string" ? intents : activeIntent(intents, id);
  return typeof active === "string" ? `select_active_intent: ${active}` : undefined;
}

function findingOf(intent: Intent, { tool, description, workspace }: IntendedCall): IntentFinding {
  const { id } = intent;
  if (tool.effect === "writes" && description.paths.length > 0) {
    const outside = pathOutside(intent, workspace, description.paths);
    if (outside === undefined) return { kind: "owned", id };
    const what = `'${outside.slice(0, 200)}' is outside the owned scope`;
    const next = "Leave it as it is, select the intent that owns it, or ask the user";
    return refused(scopeRule(intent), `${what}: ${formatScope(intent)}. ${next}.`);
  }
  // A subtask has the intent as well. What is read from the web or a server changes no file.
  const isOwned = tool.effect === "delegates" || tool.effect === "reads" || tool.effect === "none";
  return { kind: isOwned ? "owned" : "unscoped", id };
}

/** Whether the call may change something, or reaches out of the workspace. */
function mayHaveEffect({ tool: { effect, group }, description }: IntendedCall): boolean {
  if (effect === "writes" || effect === "executes" || effect === "delegates") return true;
  if (effect === "asks") return false;
  return (
    group === "fetch" || group === "mcp" || description.fetches !== undefined || description.mcp !== undefined
  );
}

async function readOr(read: ReadIntents): Promise<readonly Intent[] | string> {
  try {
    return await read();
  } catch (error) {
    return `the intents can't be read: ${messageOf(error)}`;
  }
}

const refused = (rule: string, reason: string): IntentFinding => ({
  kind: "refused",
  rule,
  reason: reason.toWellFormed(),
});
