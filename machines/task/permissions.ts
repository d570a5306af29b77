import { assertEvent } from "xstate";
import type { CallIn } from "../tool-call/call.ts";
import type { PermissionState } from "../tool-call/permissions.ts";
import { closeAsk, feedbackBlocks } from "./asks.ts";
import { reviewActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { revise } from "./held-permissions.ts";
import { selectProfileOfMode } from "./profile.ts";
import type { TaskContext, TaskInput } from "./task.context.ts";
import { dueCall, moveCall } from "./turn.ts";

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
  revise(change, namedIn(event));
}

/** Holds a change that only permits more while a call is asked about: it answers no ask (law GATE). */
export function holdPermissions(change: Change): void {
  const { event } = change;
  assertEvent(event, "permissions.changed");
  const { permissions } = change.context;
  change.set({ permissions: { ...permissions, held: { ...permissions.held, ...namedIn(event) } } });
}

const namedIn = ({ mode, rules }: Partial<Pick<PermissionState, "mode" | "rules">>) => ({
  ...(mode !== undefined && { mode }),
  ...(rules !== undefined && { rules }),
});

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

/** Withdraws the open ask about a call, which is judged again: it is denied, or asked about again. */
export function withdrawApproval(change: Change): void {
  closeAsk(change, "withdrawn");
  change.append({ type: "say", say: "permissions_changed", text: "The permissions have changed." });
  const call = dueCall(change.context);
  if (call?.phase === "asking") reviewAgain(change, call);
}

/** Adds a rule that a person gave together with a yes. The yes stands: nothing else has changed, or it permits more. */
export function allowFromNowOn(
  change: Change,
  call: CallIn<"asking">,
  rule: string | undefined,
): CallIn<"asking"> {
  if (rule !== undefined)
    revise(change, { rules: [...change.context.permissions.rules, { level: "allow", rule }] });
  return { ...call, review: { ...call.review, revision: change.context.permissions.revision } };
}

/** Whether the call was judged by permissions that have changed since. */
export const isStale = (
  { permissions }: TaskContext,
  { review }: CallIn<"decided" | "judging" | "approved">,
): boolean => review.revision !== permissions.revision;

/** Starts the review of a call in a phase that waits for one. */
export function startReview(change: Change, call: CallIn<"deciding" | "amending" | "judging">): void {
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
    ...(call.phase === "judging" && { verdict: call.review.verdict }),
  });
}

/** Reviews a call that has not started under the permissions as they are now. Feedback goes with the next request. */
export function reviewAgain(
  change: Change,
  call: CallIn<"deciding" | "decided" | "judging" | "asking" | "amending" | "approved">,
): void {
  const { feedback } = call.phase === "judging" ? (call.approval ?? {}) : { feedback: undefined, ...call };
  if (feedback !== undefined)
    change.set({ pending: [...change.context.pending, ...feedbackBlocks(feedback)] });
  startReview(change, moveCall(change, call, { type: "permissions.changed" }));
}
