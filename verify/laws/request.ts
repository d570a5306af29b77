import { isRequestMessage, isRequestOpen, requestInfo } from "../../machines/message/request.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { MONITORED_LAWS } from "../monitor/monitored-laws.ts";
import { appendedMessages, logChanges, startedIds } from "./changes.ts";
import { firstViolation, type Law, type Step, topState } from "./law.ts";

function openWhileStreaming({ after }: Step): string | undefined {
  const { openRequests, newestRequest } = after.logFacts;
  const streaming = topState(after.state) === "streaming";
  if (openRequests.length !== (streaming ? 1 : 0))
    return `${openRequests.length} requests are open in ${after.state}`;
  return streaming && openRequests[0] !== newestRequest ? "the open request is not the newest" : undefined;
}

function staysClosed(step: Step): string | undefined {
  const change = logChanges(step).find(
    ({ event, message }) =>
      event.type !== "message.appended" &&
      message !== undefined &&
      isRequestMessage(message) &&
      !isRequestOpen(message),
  );
  return change === undefined ? undefined : "a closed request was changed";
}

/** Every attempt appends its own message and sends once. */
function hasOwnMessage(step: Step): string | undefined {
  const attempts = startedIds(step, "context").length;
  const messages = appendedMessages(step).filter(isRequestMessage).length;
  if (attempts !== messages) return `${messages} request messages were appended for ${attempts} attempts`;
  if (startedIds(step, "llm").length === 0) return undefined;
  const { activeActors } = step.before;
  return ["context", "hook", "condense"].some((id) => activeActors.has(id))
    ? undefined
    : "a request was sent twice with one message";
}

const REASONS: Partial<Record<TaskEvent["type"], string>> = {
  "task.cancel": "user_cancelled",
  "llm.failed": "streaming_failed",
  "context.failed": "streaming_failed",
  "condense.failed": "streaming_failed",
  "request.hooked": "streaming_failed",
  "journal.failed": "streaming_failed",
  "task.recovered": "streaming_failed",
};

function hasCostAndReason(step: Step): string | undefined {
  if (topState(step.before.state) !== "streaming" || topState(step.after.state) === "streaming")
    return undefined;
  const closed = logChanges(step).find(
    ({ event, message }) =>
      event.type === "message.amended" && message !== undefined && isRequestMessage(message),
  );
  if (closed?.event.type !== "message.amended") return "streaming ended and no request was closed";
  const info = requestInfo({
    ts: 0,
    type: "say",
    say: "api_req_started",
    text: closed.event.patch.text ?? "",
  });
  const expected = REASONS[step.event.type];
  if (info?.cost === undefined) return "a request was closed without its cost";
  return info.cancelReason === expected
    ? undefined
    : `after ${step.event.type} the request was closed with reason ${info.cancelReason}, expected ${expected}`;
}

/** L4: a request is open exactly while streaming, every attempt has its own message, a closed request stays closed. */
export const request: Law = {
  id: "L4",
  title: MONITORED_LAWS.L4.title,
  violation: firstViolation(openWhileStreaming, staysClosed, hasOwnMessage, hasCostAndReason),
};
