import { assertEvent } from "xstate";
import { modeSwitched, textBlock, toolError } from "../conversation/index.ts";
import { type CallIn, type Notice, type Outcome, toSettled } from "../tool-call/index.ts";
import { postAsk, withFeedback } from "./asks.ts";
import { refusedSubtask } from "./budget.ts";
import { approveByRule, settleAsMistake, startCall, toolActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { endCommand } from "./command.ts";
import { showResult } from "./completion.ts";
import { countMistake, resetMistakes } from "./counters.ts";
import { countDiffFailure, resetDiffFailures } from "./diffs.ts";
import { isHooked } from "./hook-points.ts";
import { endCall } from "./hooks.ts";
import { selectIntent } from "./intent.ts";
import { selectMode } from "./permissions.ts";
import { processBlocks } from "./stream.ts";
import { delegate } from "./subtask.ts";
import type { TaskEvent } from "./task.events.ts";
import {
  callAtCursor,
  callIn,
  callsIn,
  isIn,
  isPassed,
  needsCheckpoint,
  saveCheckpoint,
  setCall,
  setTurn,
} from "./turn.ts";

/** Continues the turn as far as possible without a person: text, reads, and the next permitted effect. */
export function continueTurn(change: Change): void {
  showNotices(change);
  processBlocks(change);
  refuseSubtaskBeyondBudget(change);
  const call = callAtCursor(change.context);
  if (call === undefined || !isIn(call, ["decided", "approved"]) || !isHooked(change.context, call)) return;
  if (call.phase === "approved") startWhenAlone(change, call);
  else if (call.ask === "completion_result") showResult(change, call);
  else if (call.review.verdict.kind === "allow") startWhenAlone(change, approveByRule(change, call));
}

/** Refuses a subtask for which too little of the budget is left, before anybody is asked about it. */
function refuseSubtaskBeyondBudget(change: Change): void {
  const call = callAtCursor(change.context);
  if (call?.phase !== "decided" || call.review.effect !== "delegates") return;
  const refused = refusedSubtask(change.context);
  if (refused === undefined) return;
  settleAsMistake(change, call, refused);
  processBlocks(change);
}

function startWhenAlone(change: Change, call: CallIn<"approved">): void {
  if (callsIn(change.context, "running", "ended").length > 0) return;
  if (needsCheckpoint(change.context, call)) {
    saveCheckpoint(change, call.callId);
    return;
  }
  if (call.review.effect === "delegates") {
    delegate(change, call);
    return;
  }
  if (call.review.switchesTo !== undefined) {
    switchModeByCall(change, call, call.review.switchesTo);
    return;
  }
  if (call.review.selectsIntent !== undefined) {
    selectIntent(change, call, call.review.selectsIntent);
    continueTurn(change);
    return;
  }
  if (call.ask === "command") postAsk(change, "command_output", "", { callId: call.callId });
  startCall(change, call);
}

/** Applies a call that switches the mode. Later calls of the response are judged by the new one. */
function switchModeByCall(change: Change, call: CallIn<"approved">, mode: string): void {
  selectMode(change, mode);
  const content = withFeedback(call.feedback, [textBlock(modeSwitched(mode))]);
  setCall(change, toSettled(call, { kind: "done", content }));
  resetMistakes(change);
  continueTurn(change);
}

/** Shows the newest status of a running call at its message. */
export function showProgress(change: Change): void {
  const { event } = change;
  assertEvent(event, "tool.progress");
  const call = callIn(change.context, event.callId, "running");
  if (call !== undefined) change.amend(call.row, { progressStatus: event.status });
}

/** The notice of a call at whose position it is shown. That of a passed read waits for the end of the response. */
function keepNotice(
  change: Change,
  { callId }: CallIn<"running">,
  notice: Notice | undefined,
): Notice | undefined {
  if (notice === undefined || !isPassed(change.context, callId)) return notice;
  setTurn(change, { notices: [...(change.context.turn.notices ?? []), { callId, notice }] });
  return undefined;
}

/** Shows the notices of passed reads, unless a partial message stands last: it becomes an ask, or is completed first (L3). */
function showNotices(change: Change): void {
  const { notices, ...turn } = change.context.turn;
  if (notices === undefined || change.context.log.at(-1)?.partial === true) return;
  for (const { callId, notice } of notices) change.append({ type: "say", ...notice, callId });
  change.set({ turn });
}

/** Settles a finished call. Its result waits for the next request. */
export function settleCall(change: Change): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  const call = callIn(change.context, event.callId, "running");
  if (call === undefined) return;
  change.stop("tool", toolActorId(call.callId));
  const { patches } = call.review;
  const writes = event.writes === undefined ? {} : { writes: event.writes };
  const settle = (kind: Outcome["kind"], content: Outcome["content"], notice?: Notice): void =>
    endCall(
      change,
      call,
      { kind, content: withFeedback(call.feedback, content), ...writes },
      keepNotice(change, call, notice),
    );
  if (event.type === "tool.finished") {
    settle("done", event.content, noticeOf(call, event));
    resetMistakes(change);
    resetDiffFailures(change, patches);
  } else if (patches !== undefined) {
    const error = countDiffFailure(change, patches, event.error);
    settle("failed", [textBlock(toolError(error))], { say: "diff_error", text: error });
    countMistake(change);
  } else {
    settle("failed", [textBlock(toolError(event.error))], { say: "error", text: event.error });
    countMistake(change);
  }
  endCommand(change, call.callId);
  processBlocks(change);
}

/** What a finished call shows: what it found, or the response of an MCP server. */
function noticeOf(
  { ask }: CallIn<"running">,
  { content, found }: Pick<Extract<TaskEvent, { type: "tool.finished" }>, "content" | "found">,
): Notice | undefined {
  if (found !== undefined) return { say: "codebase_search_result", text: found };
  if (ask !== "use_mcp_server") return undefined;
  const images = content.flatMap((block) =>
    block.type === "image" ? `data:${block.source.media_type};base64,${block.source.data}` : [],
  );
  const text = content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
  return { say: "mcp_server_response", text, ...(images.length > 0 && { images }) };
}
