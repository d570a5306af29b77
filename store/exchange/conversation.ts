import {
  applyConversationEvent,
  approvedWithFeedback,
  type CallOutcome,
  type Conversation,
  entryEvent,
  interrupted,
  pairResults,
  textBlock,
  uncertain,
} from "../../machines/conversation/index.ts";
import type { RecordedState } from "../../machines/task/index.ts";
import type { RecordedCall } from "../../machines/tool-call/index.ts";

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
  if (call.phase === "settled") return [[call.toolUseId, call.outcome]];
  if (call.phase !== "running" && call.phase !== "stopped") return [];
  const { end, feedback, name, replayable, toolUseId } = call;
  if (end === undefined || end === "uncertain") {
    if (replayable) return [];
    return [[toolUseId, { kind: "uncertain", content: [textBlock(uncertain(name))] }]];
  }
  const comment = feedback === undefined ? [] : [textBlock(approvedWithFeedback(feedback.text))];
  return [[toolUseId, { kind: "done", content: [...comment, ...end] }]];
}
