import type { ClineMessage } from "../../machines/message/message.ts";
import { closedRequestText, isRequestMessage } from "../../machines/message/request.ts";
import { type Indexed, isJson } from "./json.ts";

const INTERRUPTIONS: ReadonlySet<string | undefined> = new Set([
  "resume_task",
  "resume_completed_task",
  "api_req_failed",
  "api_req_retried",
  "api_req_retry_delayed",
]);

/**
 * Format the text that closes the open request at `position` (L4): its fields and a cost of 0. Unless its response seems
 * complete, the cancel reason is `streaming_failed`.
 */
export function closedText(messages: readonly Indexed<ClineMessage>[], position: number): string {
  const text = messages[position]?.value.text;
  const fields = text ? parseFields(text) : undefined;
  const cancelReason = isComplete(messages, position) ? undefined : ("streaming_failed" as const);
  if (fields === undefined)
    return closedRequestText({
      tokensIn: 0,
      tokensOut: 0,
      cacheWrites: 0,
      cacheReads: 0,
      cost: 0,
      cancelReason,
    });
  return JSON.stringify({ ...fields, cost: 0, cancelReason: fields.cancelReason ?? cancelReason });
}

function parseFields(text: string) {
  // The text of an open request is JSON (R3).
  const value: unknown = JSON.parse(text);
  return isJson(value) ? value : undefined;
}

/** Whether the next request, or an ask that only a complete response posts, comes before any sign of a failure. */
function isComplete(messages: readonly Indexed<ClineMessage>[], position: number): boolean {
  for (let next = position + 1; next < messages.length; next += 1) {
    const message = messages[next]?.value;
    if (message === undefined || INTERRUPTIONS.has(message.ask ?? message.say)) return false;
    if (isRequestMessage(message)) return true;
    if (message.type === "ask" && message.partial !== true && message.ask !== "command_output") return true;
  }
  return false;
}
