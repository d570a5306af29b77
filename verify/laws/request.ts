import { isRequestMessage, isRequestOpen, requestInfo } from "../../machines/message/index.ts";
import type { TaskEvent } from "../../machines/task/index.ts";
import { appendedIn, changesOf, startedIn } from "./changes.ts";
import { firstViolation, type Law, type Step, topState } from "./law.ts";

function openWhileStreaming({ after }: Step): string | undefined {
  const { openRequests, newestRequest } = after.logFacts;
  const streaming = topState(after.state) === "streaming";
  if (openRequests.length !== (streaming ? 1 : 0))
    return `${openRequests.length} requests are open in ${after.state}`;
  return streaming && openRequests[0] !== newestRequest ? "the open request is not the newest" : undefined;
}

function staysClosed(step: Step): string | undefined {
  const change = changesOf(step).find(
    ({ event, row }) =>
      event.type !== "message.appended" && row !== undefined && isRequestMessage(row) && !isRequestOpen(row),
  );
  return change === undefined ? undefined : "a closed request was touched again";
}

/** Every attempt begins with a row of its own, and sends once. */
function ownsItsRow(step: Step): string | undefined {
  const began = startedIn(step, "context").length;
  const rows = appendedIn(step).filter(isRequestMessage).length;
  if (began !== rows) return `${rows} request rows were appended for ${began} attempts`;
  if (startedIn(step, "llm").length === 0) return undefined;
  return step.before.activeActors.has("context") ? undefined : "a request was sent twice under one row";
}

const REASONS: Partial<Record<TaskEvent["type"], string>> = {
  "task.cancel": "user_cancelled",
  "llm.failed": "streaming_failed",
  "context.failed": "streaming_failed",
  "journal.failed": "streaming_failed",
  "task.recovered": "streaming_failed",
};

function saysWhy(step: Step): string | undefined {
  if (topState(step.before.state) !== "streaming" || topState(step.after.state) === "streaming")
    return undefined;
  const closed = changesOf(step).find(
    ({ event, row }) => event.type === "message.amended" && row !== undefined && isRequestMessage(row),
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
    : `after ${step.event.type} the request's reason is ${info.cancelReason}, expected ${expected}`;
}

/** L4: a request is open exactly while streaming, every attempt has its own row, a closed one stays closed. */
export const request: Law = {
  id: "L4",
  title: "a request is open exactly while streaming, and is closed once, with its cost and its reason",
  violation: firstViolation(openWhileStreaming, staysClosed, ownsItsRow, saysWhy),
};
