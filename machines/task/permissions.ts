import { assertEvent } from "xstate";
import {
  type CallAsk,
  type CallIn,
  type PermissionMode,
  type PermissionState,
  toDecidingAgain,
  type ValidReview,
  type Verdict,
} from "../tool-call/index.ts";
import { closeAsk, feedbackBlocks } from "./asks.ts";
import { reviewActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { selectProfileOfMode } from "./profile.ts";
import type { TaskContext, TaskInput } from "./task.context.ts";
import { callAtCursor, setCall } from "./turn.ts";

/** The permissions of a task that names none. */
export const STANDARD_PERMISSIONS: PermissionState = { revision: 0, mode: "ask", rules: [] };

export const permissionsOf = ({ permissions }: TaskInput): PermissionState =>
  permissions === undefined ? STANDARD_PERMISSIONS : { ...STANDARD_PERMISSIONS, ...permissions };

/** The permissions as a fact of a commit. The standard ones are recorded only by a change. */
export const permissionsFact = ({ permissions }: TaskContext): Pick<Partial<TaskContext>, "permissions"> =>
  permissions === STANDARD_PERMISSIONS ? {} : { permissions };

/** Changes what is permitted. Calls that have not started are judged again before they start (law GATE). */
export function changePermissions(change: Change): void {
  const { event } = change;
  assertEvent(event, "permissions.changed");
  const { mode, rules } = change.context.permissions;
  revise(change, { mode: event.mode ?? mode, rules: event.rules ?? rules });
}

export function switchMode(change: Change): void {
  const { event } = change;
  assertEvent(event, "mode.switched");
  selectMode(change, event.mode);
}

/** Selects the mode of the next request, with its profile. It also says what is permitted. */
export function selectMode(change: Change, mode: string): void {
  change.set({ mode });
  selectProfileOfMode(change);
  revisePermissions(change);
}

/** Makes the verdicts on calls that have not started stale: what they depend on has changed. */
export const revisePermissions = (change: Change): void => revise(change, {});

function revise(change: Change, changed: Partial<PermissionState>): void {
  const { permissions } = change.context;
  change.set({ permissions: { ...permissions, ...changed, revision: permissions.revision + 1 } });
}

/** Withdraws the open ask about a call, which is judged again: another one may follow. */
export function withdrawApproval(change: Change): void {
  closeAsk(change, "withdrawn");
  change.append({ type: "say", say: "permissions_changed", text: "What is permitted has changed." });
  const call = callAtCursor(change.context);
  if (call?.phase === "asking") reviewAgain(change, call);
}

/** Adds a rule that a person gave together with a yes. The yes stands: no other rule has changed. */
export function allowFromNowOn(
  change: Change,
  call: CallIn<"asking">,
  rule: string | undefined,
): CallIn<"asking"> {
  if (rule === undefined) return call;
  revise(change, { rules: [...change.context.permissions.rules, { level: "allow", rule }] });
  return { ...call, review: { ...call.review, revision: change.context.permissions.revision } };
}

/** Whether the call was judged by permissions that have changed since. */
export const isStale = ({ permissions }: TaskContext, { review }: CallIn<"decided" | "approved">): boolean =>
  review.revision !== permissions.revision;

/** Starts the review of a call. */
export function startReview(change: Change, call: CallIn<"deciding" | "amending">): void {
  setCall(change, call);
  const { callId, name, input, amendment } = call;
  const { mode, permissions, intent } = change.context;
  change.start("review", reviewActorId(callId), {
    callId,
    name,
    input,
    ...(amendment !== undefined && { amendment }),
    mode,
    permissions,
    ...(intent !== null && { intent }),
  });
}

/** Reviews a call that has not started under the permissions as they are now. Feedback goes with the next request. */
export function reviewAgain(
  change: Change,
  call: CallIn<"deciding" | "decided" | "asking" | "amending" | "approved">,
): void {
  if ("feedback" in call && call.feedback !== undefined)
    change.set({ pending: [...change.context.pending, ...feedbackBlocks(call.feedback)] });
  startReview(change, toDecidingAgain(call));
}

/** The verdict on a call: modes `plan` and `bypass` hold for every policy; a person answers questions and completions. */
export function verdictIn(
  mode: PermissionMode,
  { effect, verdict }: Pick<ValidReview, "effect" | "verdict">,
  ask: CallAsk,
): Verdict {
  if (verdict.kind === "deny") return verdict;
  if (ask === "followup" || ask === "completion_result") return { kind: "ask" };
  if (mode === "plan" && effect !== "reads" && effect !== "none")
    return {
      kind: "deny",
      rule: "mode plan",
      reason: "only reading is permitted now. Plan, and ask the user.",
    };
  return mode === "bypass" && verdict.kind === "ask" ? { kind: "allow", rule: "mode bypass" } : verdict;
}
