import { isAskType } from "../message/asks.ts";
import type { Log, LogEvent } from "../message/log.ts";
import type { ClineMessage, Patch } from "../message/message.ts";
import { closedRequestText, isRequestOpen, newestRequest } from "../message/request.ts";
import { API_PROTOCOL, NO_USAGE } from "./request.ts";

type Amendment = Extract<LogEvent, { type: "message.amended" }>;

/**
 * The amendments that close what the end of a process left open: the last message and the request. No other can be open
 * (L3, L4, L8).
 */
export function closingAmendments(log: Log): readonly Amendment[] {
  const candidates = new Set([log.at(-1), newestRequest(log)]);
  return [...candidates].flatMap((message) => {
    if (message === undefined) return [];
    const patch = closingPatch(message);
    return Object.keys(patch).length === 0 ? [] : [{ type: "message.amended", ts: message.ts, patch }];
  });
}

function closingPatch(message: ClineMessage): Patch {
  const { type, ask, closing, partial } = message;
  const isPartial = partial === true;
  const isOpenAsk = type === "ask" && closing === undefined && isAskType(ask);
  return {
    ...(isPartial && { partial: false }),
    ...(type === "ask" && (isPartial || isOpenAsk) && { closing: "withdrawn" }),
    ...(isRequestOpen(message) && { text: INTERRUPTED_REQUEST }),
  };
}

const INTERRUPTED_REQUEST = closedRequestText({
  apiProtocol: API_PROTOCOL,
  ...NO_USAGE,
  cancelReason: "streaming_failed",
  streamingFailedMessage: "The process ended before the response was complete.",
});
