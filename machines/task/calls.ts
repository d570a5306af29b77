import { textBlock } from "../conversation/blocks.ts";
import {
  interrupted,
  skippedAfterRejection,
  skippedAfterSubtask,
  subtaskCancelled,
  toolError,
} from "../conversation/notices.ts";
import type { CallTaking } from "../tool-call/call.table.ts";
import type {
  CallIdentity,
  CallIn,
  Decision,
  Feedback,
  Notice,
  Outcome,
  Phase,
  ToolCall,
  Verdict,
} from "../tool-call/call.ts";
import type { Change } from "./change.ts";
import { countMistake } from "./counters.ts";
import { hasCallHooks } from "./hook-points.ts";
import { assertJudged, isJudged, needsJudgement } from "./judged.ts";
import type { TaskContext } from "./task.context.ts";
import { blockAtCursor, callsIn, describeCall, isBegun, isIn, moveCall, needsCheckpoint } from "./turn.ts";

export const toolActorId = (callId: string): string => `tool:${callId}`;
/** The call of a tool actor. */
export const callOfToolActor = (actorId: string): string => actorId.slice(toolActorId("").length);
export const subtaskActorId = (callId: string): string => `subtask:${callId}`;
export const hookActorId = (callId: string): string => `hook:${callId}`;
export const reviewActorId = (callId: string): string => `review:${callId}`;

/** The phases in which a review runs. */
export const UNDER_REVIEW = ["deciding", "amending", "judging"] as const satisfies readonly Phase[];

/**
 * Whether the call changes nothing, neither the mode, and shows no output, result or request for input. A command shows
 * its output as an open ask.
 */
export const isRead = ({ ask, review }: CallIn<"decided" | "running">): boolean =>
  ask !== "command" &&
  review.switchesTo === undefined &&
  review.selectsIntent === undefined &&
  review.changesWakeUps === undefined &&
  review.ordersSubtasks === undefined &&
  review.showsResult === undefined &&
  review.elicits === undefined &&
  (review.effect === "reads" || review.effect === "none");

/** Whether the call may run in parallel with others, as soon as the cursor reaches it. */
export const isParallelRead = (context: TaskContext, call: CallIn<"decided">): boolean =>
  call.review.verdict.kind === "allow" &&
  isRead(call) &&
  !hasCallHooks(context) &&
  !context.policies &&
  callsIn(context, "running").length < context.limits.parallelReads;

/**
 * Whether the call is shown now, as a partial message: while the request is open. A call that hooks or policies over time
 * decide about first is shown when they have.
 */
export const showsPartially = (
  context: TaskContext,
  call: CallIn<"planned" | "deciding" | "decided">,
): boolean =>
  context.request !== undefined &&
  call.row === undefined &&
  !context.hooks.includes("beforeTool") &&
  !isJudged(context, call);

/** Shows the call as a partial message, the last one (L3). */
export function showPartialMessage(change: Change, call: CallIn<"planned" | "deciding" | "decided">): void {
  const text = call.phase === "decided" ? call.review.text : call.preview;
  const kind =
    call.ask === "completion_result"
      ? ({ type: "say", say: "completion_result" } as const)
      : ({ type: "ask", ask: call.ask } as const);
  const row = change.append({ ...kind, text, partial: true, callId: call.callId });
  describeCall(change, call, { row });
}

/** Withdraws the call's message if it is still partial. It says as much of the call as is known. */
export function withdrawMessage(change: Change, call: ToolCall): void {
  completeText(change, call);
  const last = change.context.log.at(-1);
  if (last === undefined || last.ts !== call.row || last.partial !== true) return;
  change.amend(last.ts, { partial: false, ...(last.type === "ask" && { closing: "withdrawn" }) });
}

/** Makes a partial message say the whole call, not only what had streamed when it was shown last. */
function completeText(change: Change, call: ToolCall): void {
  const last = change.context.log.at(-1);
  if (last === undefined || last.ts !== call.row || last.partial !== true) return;
  const text = textOf(call);
  if (text !== undefined && text !== last.text) change.amend(last.ts, { text });
}

function textOf(call: ToolCall): string | undefined {
  if ("review" in call) return call.review.text;
  return "preview" in call ? call.preview : undefined;
}

const ANSWERED = { closing: "answered", isAnswered: true } as const;

/** Approves the call by a policy rule. Its ask is closed in the same macrostep, so it never shows as open. */
export function approveByRule(change: Change, call: CallIn<"decided">): CallIn<"approved"> {
  const { verdict } = call.review;
  const rule = verdict.kind === "allow" ? verdict.rule : "";
  return recordDecision(change, { ...call, row: showAsApproved(change, call, rule) }, { rule });
}

function showAsApproved(
  change: Change,
  { ask, callId, review: { text }, row }: CallIn<"decided">,
  reason: string,
): number {
  if (row === undefined) return change.append({ type: "ask", ask, text, callId, reason, ...ANSWERED });
  change.amend(row, { text, partial: false, reason, ...ANSWERED });
  return row;
}

/** Binds a decision to the call (L7) and appends the message that makes the task's state `running`. */
export function recordDecision(
  change: Change,
  call: CallIn<"decided" | "asking"> & { readonly row: number },
  by: Decision["by"],
  feedback?: Feedback,
): CallIn<"approved"> {
  const { callId, review, amendment, input, hooked } = call;
  const decision: Decision = {
    callId,
    digest: review.digest,
    ...(amendment !== undefined && { amendment }),
    ...(hooked?.amendedBy !== undefined && { input }),
    by,
    at: change.event.at,
  };
  const approved = moveCall(change, call, { type: "approved", row: call.row, decision, feedback });
  change.emit({ type: "decision.made", decision });
  const waits =
    callsIn(change.context, "running").length > 0 ||
    needsCheckpoint(change.context, approved) ||
    needsJudgement(change.context, approved);
  if (call.ask !== "command" || waits) showApproval(change, call);
  showEdit(change, approved);
  return approved;
}

/** Appends the message that makes the task's state `running` after an ask. */
export function showApproval(change: Change, { ask, callId }: CallIdentity): void {
  const say = ask === "use_mcp_server" ? "mcp_server_request_started" : "tool";
  change.append({ type: "say", say, callId });
}

/** Shows what the person changed of an amended call. */
export function showEdit(change: Change, { callId, review }: CallIn<"approved">): void {
  if (review.edit !== undefined) change.append({ type: "say", ...review.edit, callId });
}

/** Starts the call under its decision and its judgement. */
export function startCall(change: Change, call: CallIn<"approved">): void {
  assertJudged(change.context, call);
  const { callId, name, input, amendment, decision } = call;
  const { base } = call.review;
  moveCall(change, call, { type: "started" });
  change.start("tool", toolActorId(callId), {
    callId,
    name,
    input,
    ...(amendment !== undefined && { amendment }),
    decision,
    ...(base !== undefined && "person" in decision.by && { base }),
  });
}

/** Settles the call with a text as its result. `notice` is shown to the user at the call's position. */
export function settleWithText(
  change: Change,
  call: CallTaking<"settled">,
  kind: Outcome["kind"],
  text: string,
  notice?: Notice,
): void {
  completeText(change, call);
  moveCall(change, call, { type: "settled", outcome: { kind, content: [textBlock(text)] }, notice });
}

/** Settles a call that may not run: model and user get the rule and the reason. */
export function settleAsDenied(
  change: Change,
  call: CallTaking<"settled">,
  { rule, reason, clause }: Extract<Verdict, { kind: "deny" }>,
): void {
  const text = `${call.name}: denied by the rule "${rule}": ${reason}`;
  settleWithText(change, call, "denied", toolError(text), { say: "error", text, denial: clause ?? { rule } });
}

/** Settles an invalid call: model and user get the error, and it counts as a mistake. */
export function settleAsMistake(
  change: Change,
  call: CallTaking<"settled">,
  error: string,
  say: Notice["say"] = "error",
): void {
  settleWithText(change, call, "invalid", toolError(error), { say, text: error });
  countMistake(change);
}

/** Skips every unstarted call but the one at the cursor. Existing results stay. */
export function skipOtherCalls(change: Change, textOf = skippedAfterRejection): void {
  const block = blockAtCursor(change.context);
  const atCursor = block?.kind === "call" ? block.callId : undefined;
  const others = change.context.turn.calls.filter(({ callId }) => callId !== atCursor);
  settleUnstarted(change, others, (call) => ({ kind: "skipped", text: textOf(call.name) }));
}

/** Skips a call after one of a subtask: the model planned it without the subtask's result. */
export const skipAfterSubtask = (change: Change, call: CallIn<"decided">): void =>
  settleWithText(change, call, "skipped", skippedAfterSubtask(call.name));

/** Stops every started call; unstarted ones never run (L10). */
export function stopCalls(change: Change): void {
  for (const call of callsIn(change.context, "running")) {
    change.stop("tool", toolActorId(call.callId));
    moveCall(change, call, { type: "stopped" });
  }
  for (const call of callsIn(change.context, "ended")) {
    change.stop("hook", hookActorId(call.callId));
    moveCall(change, call, { type: "settled", outcome: call.unseen });
  }
  for (const call of callsIn(change.context, "delegated")) {
    change.stop("subtask", subtaskActorId(call.callId));
    settleWithText(change, call, "interrupted", subtaskCancelled(call.childId, call.isolation));
  }
  settleUnstarted(change, change.context.turn.calls, () => ({ kind: "interrupted", text: interrupted() }));
}

function settleUnstarted(
  change: Change,
  calls: readonly ToolCall[],
  result: (call: ToolCall) => { kind: Outcome["kind"]; text: string },
): void {
  for (const call of calls) {
    if (isBegun(call)) continue;
    if (isIn(call, UNDER_REVIEW)) change.stop("review", reviewActorId(call.callId));
    if (call.phase === "hooking") change.stop("hook", hookActorId(call.callId));
    const { kind, text } = result(call);
    settleWithText(change, call, kind, text);
  }
}
