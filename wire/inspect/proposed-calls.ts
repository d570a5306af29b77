import type { ConversationEvent } from "../../machines/conversation/conversation.ts";
import type { ToolUseBlock } from "../../machines/conversation/entry.ts";
import type { JournalRecord } from "../journal/record.ts";

/** The calls of a task as its model sent them, by call id. A call may start before its response ends and is recorded. */
export function proposedCalls(records: readonly JournalRecord[]): ReadonlyMap<string, ToolUseBlock> {
  const calls = new Map<string, ToolUseBlock>();
  let request: unknown;
  for (const record of records) {
    if (record.kind !== "commit") continue;
    request = record.cause?.requestId ?? request;
    for (const block of record.conversation.flatMap(callsIn)) calls.set(`${request}/${block.id}`, block);
  }
  return calls;
}

function callsIn(event: ConversationEvent): readonly ToolUseBlock[] {
  if (event.type === "entries.replaced") return [];
  const { content } = event.type === "entry.appended" ? event.entry : event;
  return content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
}
