import { assertEvent } from "xstate";
import { textBlock, toolError } from "../conversation/index.ts";
import type { CallIn } from "../tool-call/index.ts";
import { advance } from "./advance.ts";
import { postAsk } from "./asks.ts";
import { begin, countMistake, forgetMistakes, permitByRule, toolActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { needsCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { endCommand } from "./command.ts";
import { showResult } from "./completion.ts";
import { withFeedback } from "./results.ts";
import { delegate } from "./subtask.ts";
import { callAtCursor, callIn, callsIn, setCall, toSettled } from "./turn.ts";

/** Goes as far through the turn as it can without a person: text, reads, and the next permitted effect. */
export function settleNext(change: Change): void {
  advance(change);
  const call = callAtCursor(change.context);
  if (call?.phase === "decided" && call.ask === "completion_result") showResult(change, call);
  else if (call?.phase === "decided" && call.review.verdict.kind === "allow")
    startIfAlone(change, permitByRule(change, call));
  else if (call?.phase === "approved") startIfAlone(change, call);
}

function startIfAlone(change: Change, call: CallIn<"approved">): void {
  if (callsIn(change.context, "running").length > 0) return;
  if (needsCheckpoint(change.context, call)) {
    saveCheckpoint(change, call.callId);
    return;
  }
  if (call.review.effect === "delegates") {
    delegate(change, call);
    return;
  }
  if (call.ask === "command") postAsk(change, "command_output", "", call.callId);
  begin(change, call);
}

/** A call has come to its end: its result waits for the next request. */
export function settleCall(change: Change): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  const call = callIn(change.context, event.callId, "running");
  if (call === undefined) return;
  change.stop("tool", toolActorId(call.callId));
  if (event.type === "tool.finished") {
    setCall(change, toSettled(call, { kind: "done", content: withFeedback(call.feedback, event.content) }));
    forgetMistakes(change);
  } else {
    setCall(
      change,
      toSettled(call, {
        kind: "failed",
        content: withFeedback(call.feedback, [textBlock(toolError(event.error))]),
      }),
    );
    countMistake(change);
  }
  endCommand(change, call.callId);
  advance(change);
}
