import type { Entry } from "../../../machines/conversation/entry.ts";
import { interrupted } from "../../../machines/conversation/notices.ts";
import { pairResults } from "../../../machines/conversation/pairing.ts";
import { validateConversation } from "../../../machines/conversation/validate.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";

/** Find the faults of the log of a task at rest, by law, without the code under test. */
export function logFaults(messages: readonly ClineMessage[]): string[] {
  const faults: string[] = [];
  let before: number | undefined;
  messages.forEach((message, at) => {
    if (message.partial === true) faults.push(`L3: message ${at} is partial`);
    if (message.say === "api_req_started" && isOpen(message.text))
      faults.push(`L4: the request ${at} is open`);
    if (before !== undefined && !(message.ts > before))
      faults.push(`L5: message ${at} has the ts ${message.ts} after ${before}`);
    if (message.type === "ask" && message.closing === undefined) faults.push(`L8: the ask ${at} is open`);
    before = message.ts;
  });
  return faults;
}

function isOpen(text: string | null | undefined): boolean {
  if (!text) return true;
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && (typeof value !== "object" || !("cost" in value));
  } catch {
    return false;
  }
}

/** Find the faults of a conversation once the tool calls of its last response have results (L6). */
export function conversationFaults(conversation: readonly Entry[]): string[] {
  if (conversation.length === 0) return [];
  const last = conversation.at(-1);
  const results = last?.role === "assistant" ? pairResults(last.content, new Map(), interrupted()) : [];
  const complete: Entry[] = [
    ...conversation,
    ...(results.length > 0 ? [{ role: "user" as const, content: results }] : []),
  ];
  return validateConversation(complete, { mayEndWithAssistant: true }).map(
    ({ fault, entry }) => `L6: ${fault} at ${entry}`,
  );
}
