import type { TaskContext } from "../../machines/task/index.ts";
import type { ToolCall } from "../../machines/tool-call/index.ts";
import { startedIds } from "./changes.ts";
import { firstViolation, isSame, type Law, type Step } from "./law.ts";

const TOOL = "tool:";
const SUBTASK = "subtask:";

const callOf = ({ turn }: TaskContext, callId: string): ToolCall | undefined =>
  turn.calls.find((call) => call.callId === callId);

/** What the verdict on a call depends on, besides the policy. */
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

/** GATE: a verdict holds only while nothing that it depends on has changed. */
export const gate: Law = {
  id: "GATE",
  title: "no call starts, and none is asked about, under permissions that have changed since its verdict",
  violation: firstViolation(changesAreRevisions, startsAreCurrent, asksAreCurrent),
};

const HARMLESS = new Set(["reads", "none"]);

/** PLAN: in permission mode `plan` only reading starts. A subtask that was delegated before goes on, in the same mode. */
export const plan: Law = {
  id: "PLAN",
  title: "in permission mode plan no call that may change something starts",
  violation(step) {
    const { context } = step.after;
    if (context.permissions.mode !== "plan") return undefined;
    for (const id of startedIds(step, "tool")) {
      const call = callOf(context, id.slice(TOOL.length));
      if (call?.phase === "running" && !HARMLESS.has(call.review.effect))
        return `${call.callId}, which ${call.review.effect}, started in mode plan`;
    }
    const started = startedIds(step, "subtask").find(
      (id) => callOf(step.before.context, id.slice(SUBTASK.length))?.phase !== "delegated",
    );
    return started && `${started} started in mode plan`;
  },
};
