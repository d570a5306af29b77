import type { TaskContext } from "../../machines/task/task.context.ts";
import type { ToolCall } from "../../machines/tool-call/call.ts";
import { askedBy, isExpired } from "./asked-by.ts";
import { startedIds } from "./changes.ts";
import { hadSubtask } from "./delegated-calls.ts";
import { firstViolation, isSame, type Law, type Step } from "./law.ts";

const TOOL = "tool:";
const SUBTASK = "subtask:";

const callOf = ({ turn }: TaskContext, callId: string): ToolCall | undefined =>
  turn.calls.find((call) => call.callId === callId);

/** The values that the verdict on a call depends on, besides the policy. */
const permitted = ({ mode, permissions }: TaskContext) => [mode, permissions.mode, permissions.rules];

function changesAreRevisions({ before, after, reopened }: Step): string | undefined {
  if (reopened !== undefined) return undefined;
  const [was, is] = [before.context.permissions.revision, after.context.permissions.revision];
  if (is < was) return `the revision of the permissions went from ${was} to ${is}`;
  return is > was || isSame(permitted(before.context), permitted(after.context))
    ? undefined
    : "the permissions changed and their revision did not";
}

/** The event came before all starts of its macrostep. A call that switches the mode comes after those before it. */
const isChangedFirst = ({ event }: Step): boolean =>
  event.type === "permissions.changed" || event.type === "mode.switched" || event.type.startsWith("ask.");

function startsAreCurrent(step: Step): string | undefined {
  const { before, after } = step;
  const oldest = isChangedFirst(step) ? after : before;
  const { revision } = oldest.context.permissions;
  for (const id of startedIds(step, "tool")) {
    const call = callOf(after.context, id.slice(TOOL.length));
    if (call?.phase !== "running") continue;
    if (call.review.revision < revision)
      return `${call.callId} started with the verdict of revision ${call.review.revision}, now ${revision}`;
  }
  for (const id of startedIds(step, "subtask")) {
    const callId = id.slice(SUBTASK.length);
    const call = callOf(before.context, callId);
    if (call !== undefined && "review" in call && call.review.revision < before.context.permissions.revision)
      return `${callId} was delegated with the verdict of revision ${call.review.revision}`;
  }
  return undefined;
}

/** An open ask about a call is about what is permitted now. */
function asksAreCurrent({ after }: Step): string | undefined {
  const { turn, permissions } = after.context;
  const stale = turn.calls.find(
    (call) =>
      call.phase === "asking" &&
      call.review.effect !== "asks" &&
      call.review.revision !== permissions.revision,
  );
  return stale && `the ask about ${stale.callId} is open, and what is permitted has changed`;
}

/** A call that a person was asked about is decided by an answer to that ask, or to a later one. */
function asksAreAnswered({ before, event, emitted }: Step): string | undefined {
  for (const made of emitted) {
    if (made.type !== "decision.made" || "person" in made.decision.by) continue;
    const { callId, by } = made.decision;
    const asked = askedBy(before.context, callId);
    if (asked === undefined || asked.isAnswered === true || asked.closing === "expired") continue;
    const expires = event.type === "ask.expired" && event.askId === asked.ts;
    if (!expires) return `${callId} was asked about, and ${by.rule} decided it with ${event.type}`;
  }
  return undefined;
}

/** A call whose tool needs approval starts with the answer of a person, or of a deadline in place of one. */
function startsAreApproved(step: Step): string | undefined {
  for (const id of startedIds(step, "tool")) {
    const call = callOf(step.after.context, id.slice(TOOL.length));
    if (call?.phase !== "running" || call.review.needsApproval !== true) continue;
    const { by } = call.decision;
    if (!("person" in by) && !isExpired(step.after.context, call.callId))
      return `${call.callId} needs approval, and "${by.rule}" decided it`;
  }
  return undefined;
}

/** A change is held while a call is asked about, and applies with the end of its ask. */
function heldAppliesOnce({ before, event, after, reopened }: Step): string | undefined {
  const { held } = after.context.permissions;
  if (held !== undefined && after.state !== "waiting_for_input.approval")
    return `a change of the permissions is held in ${after.state}`;
  const was = reopened?.facts.permissions ?? before.context.permissions;
  if (was.held === undefined || held !== undefined || event.type === "permissions.changed") return undefined;
  const { mode = was.mode, rules = was.rules } = was.held;
  const is = after.context.permissions;
  // An answer may add a rule.
  return is.mode === mode && isSame(is.rules.slice(0, rules.length), rules)
    ? undefined
    : `the held permissions were dropped with ${event.type}`;
}

/** GATE: a verdict holds only while nothing that it depends on has changed, and a change answers no ask. */
export const gate: Law = {
  id: "GATE",
  heldBy: "permissions",
  title:
    "no call starts, and none is asked about, under permissions that have changed since its verdict; one that was asked about, or whose tool needs approval, starts only with an answer",
  violation: firstViolation(
    changesAreRevisions,
    startsAreCurrent,
    asksAreCurrent,
    asksAreAnswered,
    startsAreApproved,
    heldAppliesOnce,
  ),
};

const HARMLESS = new Set(["reads", "none"]);

/** PLAN: in permission mode `plan` only reading starts. A subtask that was delegated before goes on, in the same mode. */
export const plan: Law = {
  id: "PLAN",
  heldBy: "permissions",
  title: "in permission mode plan no call that may change something starts",
  violation(step) {
    const { context } = step.after;
    if (context.permissions.mode !== "plan") return undefined;
    for (const id of startedIds(step, "tool")) {
      const call = callOf(context, id.slice(TOOL.length));
      if (call?.phase === "running" && !HARMLESS.has(call.review.effect))
        return `${call.callId}, which ${call.review.effect}, started in mode plan`;
    }
    const started = startedIds(step, "subtask").find((id) => !hadSubtask(step, id.slice(SUBTASK.length)));
    return started && `${started} started in mode plan`;
  },
};
