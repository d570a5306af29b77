import { applyConversationEvent, emptyConversation } from "../conversation/index.ts";
import { applyLogEvent, emptyLog } from "../message/index.ts";
import type { RecordedCall } from "../tool-call/index.ts";
import type { EffectEnd, Memory, TaskEmitted } from "./task.types.ts";

/** What is remembered of a task before anything has happened. */
export const emptyMemory: Memory = {
  log: emptyLog,
  conversation: emptyConversation,
  queue: [],
  facts: {},
  calls: [],
};

/**
 * What is remembered after one more piece of a commit. Folding the pieces of all recorded commits gives what a
 * task is opened with (L11).
 */
export function remember(memory: Memory, piece: TaskEmitted): Memory {
  switch (piece.type) {
    case "message.appended":
    case "message.grown":
    case "message.amended":
    case "log.truncated":
    case "log.replaced":
      return { ...memory, log: applyLogEvent(memory.log, piece) };
    case "entry.appended":
    case "entry.extended":
      return { ...memory, conversation: applyConversationEvent(memory.conversation, piece) };
    case "queue.changed":
      return { ...memory, queue: piece.queue };
    case "facts.changed":
      return { ...memory, facts: { ...memory.facts, ...piece.facts } };
    case "call.changed":
      return { ...memory, calls: withCall(memory.calls, piece.call) };
    case "turn.ended":
      return { ...memory, calls: [] };
    default:
      return memory;
  }
}

/** What is remembered after the end of an effect was recorded. One that nobody waits for any more is history. */
export function rememberEnd(memory: Memory, { callId, content }: EffectEnd): Memory {
  const call = memory.calls.find((known) => known.callId === callId);
  if (call === undefined || (call.phase !== "running" && call.phase !== "stopped")) return memory;
  return { ...memory, calls: withCall(memory.calls, { ...call, end: content }) };
}

function withCall(calls: readonly RecordedCall[], call: RecordedCall): readonly RecordedCall[] {
  const index = calls.findIndex(({ callId }) => callId === call.callId);
  return index < 0 ? [...calls, call] : calls.with(index, call);
}
