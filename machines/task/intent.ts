import { intentSelected, textBlock } from "../conversation/index.ts";
import type { CallAsk, CallIdentity, CallIn, TaskIntent, ValidReview, Verdict } from "../tool-call/index.ts";
import type { Change } from "./change.ts";
import { resetMistakes } from "./counters.ts";
import { revisePermissions, verdictIn } from "./permissions.ts";
import type { TaskContext, TaskInput } from "./task.context.ts";
import { callAtCursor, moveCall } from "./turn.ts";

/** The intent of a task at first. Null: its workspace has none. */
export const intentOf = ({ intent }: TaskInput): TaskIntent | null => intent ?? null;

/** The intent as a fact of a commit. It is recorded only in a workspace with intents. */
export const intentFact = ({ intent }: TaskContext): Pick<Partial<TaskContext>, "intent"> =>
  intent === null ? {} : { intent };

/** The intent of a task, for its actors. */
export const actorIntent = ({ intent }: TaskContext): { readonly intent?: TaskIntent } =>
  intent === null ? {} : { intent };

/**
 * The verdict on a call by its intent, what the user permits, and the policy. Nothing lifts a denial by the intent. A call
 * whose effect is known only afterwards is not allowed by mode `bypass`.
 */
export function verdictOn(context: TaskContext, review: ValidReview, ask: CallAsk): Verdict {
  const denial = intentDenial(context, review);
  if (denial !== undefined) return denial;
  const { mode } = context.permissions;
  const isAsked = mode === "bypass" && context.intent !== null && review.intent?.kind === "unscoped";
  return verdictIn(isAsked ? "ask" : mode, review, ask);
}

/** Whether the intent denies the call, and an earlier call of the response has not settled: it may select another one. */
export const mayBeLifted = (context: TaskContext, { callId }: CallIdentity, review: ValidReview): boolean =>
  intentDenial(context, review) !== undefined && callAtCursor(context)?.callId !== callId;

const HARMLESS: readonly ValidReview["effect"][] = ["reads", "none", "asks"];

function intentDenial(
  { intent }: TaskContext,
  { effect, intent: finding }: ValidReview,
): Extract<Verdict, { kind: "deny" }> | undefined {
  if (intent === null) return undefined;
  if (finding?.kind === "refused") return { kind: "deny", rule: finding.rule, reason: finding.reason };
  if (HARMLESS.includes(effect)) return undefined;
  if (intent.stage === "required") return deny("no intent is selected. Select one first.");
  if (finding?.id === intent.id) return undefined;
  return deny(`the call was not judged by the intent ${intent.id}. Send it again.`);
}

const deny = (reason: string) => ({ kind: "deny", rule: "intents", reason }) as const;

/** Applies a call that selects an intent. Every call that has not started is judged by it. */
export function selectIntent(change: Change, call: CallIn<"approved">, id: string): void {
  change.set({ intent: { stage: "selected", id } });
  revisePermissions(change);
  const content = [textBlock(intentSelected(id))];
  moveCall(change, call, { type: "settled", outcome: { kind: "done", content } });
  resetMistakes(change);
}
