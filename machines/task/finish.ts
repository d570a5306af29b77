import { assertEvent } from "xstate";
import { cutAtLimit, noToolUsed, saying, textBlock, toolError } from "../conversation/index.ts";
import { advance } from "./advance.ts";
import { endLastBlock } from "./answer.ts";
import { countMistake, settleAsMistake } from "./calls.ts";
import type { Change } from "./change.ts";
import { callAtCursor, callIn, callsIn, setTurn } from "./turn.ts";

export function takeUsage(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.usage");
  change.set({ usage: event.usage });
}

/** Takes the model's answer as it came. A call that never ended is broken. */
export function takeAnswer(change: Change): void {
  const { event } = change;
  assertEvent(event, "llm.finished");
  endLastBlock(change);
  // An answer of thinking alone says nothing, and no model takes it back.
  if (event.content.some(({ type }) => type === "text" || type === "tool_use")) {
    change.say(saying(change.context.conversation, { role: "assistant", content: event.content }));
  }
  for (const call of callsIn(change.context, "planned")) {
    const error = `${call.name}: its arguments never ended.`;
    settleAsMistake(change, call, error, toolError(error));
  }
  setTurn(change, { stopReason: event.stopReason });
  const { counters } = change.context;
  change.set({ usage: event.usage, counters: { ...counters, retries: 0 } });
  advance(change);
}

/** Waits no longer for the review of the call at the cursor. */
export function giveUpReview(change: Change): void {
  const waiting = callAtCursor(change.context);
  const call = waiting === undefined ? undefined : callIn(change.context, waiting.callId, "deciding");
  if (call === undefined) return;
  change.stop("review", `review:${call.callId}`);
  const error = `${call.name} could not be prepared within ${change.context.limits.finishingDeadlineMs} ms.`;
  settleAsMistake(change, call, error, toolError(error));
  advance(change);
}

/** The turn is over: what an answer without a call is told. */
export function reflectOnTurn(change: Change): void {
  const { turn, counters, pending, limits } = change.context;
  if (turn.calls.length > 0) {
    change.set({ counters: { ...counters, noToolUses: 0, pauses: 0 } });
    return;
  }
  if (turn.stopReason === "pause_turn" && counters.pauses < limits.pauses) {
    change.set({ counters: { ...counters, pauses: counters.pauses + 1 } });
    return;
  }
  if (turn.stopReason === "pause_turn") {
    const text = `The model paused its answer more than ${limits.pauses} times in a row (the limit \`pauses\`).`;
    change.append({ type: "say", say: "error", text });
  }
  const text = turn.stopReason === "max_tokens" ? cutAtLimit() : noToolUsed();
  change.set({
    pending: [...pending, textBlock(text)],
    counters: { ...counters, noToolUses: counters.noToolUses + 1, pauses: 0 },
  });
  if (counters.noToolUses + 1 < 2) return;
  change.append({ type: "say", say: "error", text: "MODEL_NO_TOOLS_USED" });
  countMistake(change);
}
