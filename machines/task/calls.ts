import {
  interrupted,
  skippedAfterRejection,
  skippedAfterSubtask,
  subtaskCancelled,
  textBlock,
} from "../conversation/index.ts";
import type { CallIn, Decision, Outcome, ToolCall } from "../tool-call/index.ts";
import type { Change } from "./change.ts";
import { needsCheckpoint } from "./checkpoint.ts";
import type { TaskContext } from "./task.types.ts";
import { callAtCursor, callsIn, isIn, setCall, toApproved, toRunning, toSettled, toStopped } from "./turn.ts";

export const toolActorId = (callId: string): string => `tool:${callId}`;
export const subtaskActorId = (callId: string): string => `subtask:${callId}`;
export const reviewActorId = (callId: string): string => `review:${callId}`;

/** Whether the call changes nothing and shows nothing while it runs. A command shows its output as an open ask. */
export const isRead = ({ ask, review }: CallIn<"decided" | "running">): boolean =>
  ask !== "command" && (review.effect === "reads" || review.effect === "none");

/** Whether the call may start beside others, as soon as its place is reached. */
export const isEagerRead = (context: TaskContext, call: CallIn<"decided">): boolean =>
  call.review.verdict.kind === "allow" &&
  isRead(call) &&
  callsIn(context, "running").length < context.limits.parallelReads;

/** Shows the call as a partial row, which is last, while the request is open (L3). */
export function showPartialRow(change: Change, call: CallIn<"planned" | "deciding" | "decided">): void {
  if (change.context.request === undefined || call.row !== undefined) return;
  const text = call.phase === "decided" ? call.review.text : call.preview;
  const kind =
    call.ask === "completion_result"
      ? { type: "say", say: "completion_result" }
      : { type: "ask", ask: call.ask };
  const row = change.append({
    ...(kind as { type: "say"; say: string }),
    text,
    partial: true,
    callId: call.callId,
  });
  setCall(change, { ...call, row });
}

/** Withdraws the call's row, if it is still partial. */
export function withdrawRow(change: Change, call: ToolCall): void {
  const last = change.context.log.at(-1);
  if (last === undefined || last.ts !== call.row || last.partial !== true) return;
  change.amend(last.ts, { partial: false, ...(last.type === "ask" && { closing: "withdrawn" }) });
}

/**
 * Takes a policy's yes for the call: its row is completed and, in the same macrostep, the row that says
 * which call goes on (an ask that a policy answers never shows as waiting).
 */
export function permitByRule(change: Change, call: CallIn<"decided">): CallIn<"approved"> {
  const { verdict } = call.review;
  const rule = verdict.kind === "allow" ? verdict.rule : "";
  if (call.row === undefined) {
    change.append({ type: "ask", ask: call.ask, text: call.review.text, callId: call.callId, ...ANSWERED });
  } else {
    change.amend(call.row, { text: call.review.text, partial: false, ...ANSWERED });
  }
  return approve(change, call, { rule });
}
const ANSWERED = { closing: "answered", isAnswered: true } as const;

/** Binds a decision to the call (L7) and appends the row that says that the agent goes on. */
export function approve(
  change: Change,
  call: CallIn<"decided" | "asking">,
  by: Decision["by"],
  feedback?: CallIn<"approved">["feedback"],
): CallIn<"approved"> {
  const decision: Decision = { callId: call.callId, digest: call.review.digest, by, at: change.event.at };
  const approved = toApproved(call, decision, feedback);
  setCall(change, approved);
  change.emit({ type: "decision.made", decision });
  const waits = callsIn(change.context, "running").length > 0 || needsCheckpoint(change.context, approved);
  if (call.ask !== "command" || waits) {
    const say = call.ask === "use_mcp_server" ? "mcp_server_request_started" : "tool";
    change.append({ type: "say", say, callId: call.callId });
  }
  return approved;
}

/** Starts the call under its decision. */
export function begin(change: Change, call: CallIn<"approved">): void {
  const { callId, name, input, decision } = call;
  setCall(change, toRunning(call));
  change.start("tool", toolActorId(callId), { callId, name, input, decision });
}

export function settle(
  change: Change,
  call: ToolCall,
  kind: Outcome["kind"],
  text: string,
  notice?: string,
): void {
  setCall(change, toSettled(call, { kind, content: [textBlock(text)] }, notice));
}

/** A call that the model got wrong: it is told, the user too, and the mistake counts. */
export function settleAsMistake(change: Change, call: ToolCall, error: string, told: string): void {
  settle(change, call, "invalid", told, error);
  countMistake(change);
}

export function countMistake(change: Change): void {
  const { counters } = change.context;
  change.set({ counters: { ...counters, mistakes: counters.mistakes + 1 } });
}

export function forgetMistakes(change: Change): void {
  const { counters } = change.context;
  if (counters.mistakes > 0) change.set({ counters: { ...counters, mistakes: 0 } });
}

/** Ends every call behind the one at the cursor that has not begun; results of those that did stay. */
export function skipRest(change: Change): void {
  const due = callAtCursor(change.context)?.callId;
  const rest = change.context.turn.calls.filter(({ callId }) => callId !== due);
  endUnbegun(change, rest, (call) => ({ kind: "skipped", text: skippedAfterRejection(call.name) }));
}

/** Ends every call that has not begun: what comes behind a subtask was planned without its result. */
export function skipBehindSubtask(change: Change): void {
  const others = change.context.turn.calls.filter(({ phase }) => phase !== "approved");
  endUnbegun(change, others, (call) => ({ kind: "skipped", text: skippedAfterSubtask(call.name) }));
}

/** Ends every call: begun ones are stopped, the others will never run (L10). */
export function interruptCalls(change: Change): void {
  for (const call of callsIn(change.context, "running")) {
    change.stop("tool", toolActorId(call.callId));
    setCall(change, toStopped(call));
  }
  for (const call of callsIn(change.context, "delegated")) {
    change.stop("subtask", subtaskActorId(call.callId));
    settle(change, call, "interrupted", subtaskCancelled(call.childId));
  }
  endUnbegun(change, change.context.turn.calls, () => ({ kind: "interrupted", text: interrupted() }));
}

function endUnbegun(
  change: Change,
  calls: readonly ToolCall[],
  how: (call: ToolCall) => { kind: Outcome["kind"]; text: string },
): void {
  for (const call of calls) {
    if (isIn(call, ["running", "stopped", "delegated", "settled"])) continue;
    if (call.phase === "deciding") change.stop("review", reviewActorId(call.callId));
    const { kind, text } = how(call);
    settle(change, call, kind, text);
  }
}
