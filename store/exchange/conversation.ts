import { textBlock } from "../../machines/conversation/blocks.ts";
import {
  applyConversationEvent,
  type Conversation,
  entryEvent,
} from "../../machines/conversation/conversation.ts";
import { interrupted, uncertain } from "../../machines/conversation/notices.ts";
import { type CallOutcome, pairResults } from "../../machines/conversation/pairing.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import type { Outcome, RecordedCall } from "../../machines/tool-call/call.ts";
import { withFeedback } from "../../machines/tool-call/feedback.ts";

/**
 * The conversation with the content of the next request: finished tool results and the user's messages. Otherwise the
 * export would lose them.
 */
export function conversationOf({ conversation, calls, facts }: RecordedState): Conversation {
  const last = conversation.at(-1);
  const outcomes = new Map(calls.flatMap((call) => outcomeOf(call)));
  const pending = facts.pending ?? [];
  if (last === undefined || (outcomes.size === 0 && pending.length === 0)) return conversation;
  const results = last.role === "assistant" ? pairResults(last.content, outcomes, interrupted()) : [];
  const content = [...results, ...pending];
  if (content.length === 0) return conversation;
  return applyConversationEvent(conversation, entryEvent(conversation, { role: "user", content }));
}

function outcomeOf(call: RecordedCall): readonly (readonly [string, CallOutcome])[] {
  const outcome = recordedOutcome(call);
  return outcome === undefined
    ? []
    : [[call.toolUseId, withFeedback("feedback" in call ? call : {}, outcome)]];
}

function recordedOutcome(call: RecordedCall): Outcome | undefined {
  if ("outcome" in call) return call.outcome;
  if (call.phase !== "running" && call.phase !== "stopped") return undefined;
  const { end, name, replayable } = call;
  if (end !== undefined && end !== "uncertain") return { kind: "done", content: end };
  return replayable ? undefined : { kind: "uncertain", content: [textBlock(uncertain(name))] };
}
