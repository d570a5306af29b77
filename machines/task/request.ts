import { closedRequestText, openRequestText } from "../message/index.ts";
import type { Change } from "./change.ts";
import { drainQueue } from "./queue.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** Told in each request's row, at its beginning and at its end. */
export const API_PROTOCOL = "anthropic";

/** Says what waits in the queue and opens a request: a row of its own for every attempt (L4). */
export function openRequest(change: Change): void {
  drainQueue(change);
  const request = change.append({
    type: "say",
    say: "api_req_started",
    text: openRequestText({ apiProtocol: API_PROTOCOL }),
  });
  const { counters, retryAt } = change.context;
  change.set({
    request,
    usage: NO_USAGE,
    counters: { ...counters, requests: counters.requests + 1 },
    ...(retryAt > 0 && { retryAt: 0 }),
  });
}

/** Closes the open request's row with what it cost and, where it didn't end well, why (L4). */
export function closeRequest(change: Change): void {
  const { event } = change;
  const { request } = change.context;
  if (request === undefined) return;
  if (event.type === "llm.failed") change.set({ usage: event.usage });
  const { usage, total, counters } = change.context;
  const text = closedRequestText({ apiProtocol: API_PROTOCOL, ...usage, ...reasonOf(change) });
  change.amend(request, { text });
  change.set({
    request: undefined,
    total: addUsage(total, usage),
    counters: { ...counters, cost: counters.cost + usage.cost },
  });
}

function reasonOf({ event }: Change) {
  if (event.type === "task.cancel") return { cancelReason: "user_cancelled" } as const;
  const failed = (streamingFailedMessage: string) =>
    ({ cancelReason: "streaming_failed", streamingFailedMessage }) as const;
  if (event.type === "llm.failed") return failed(event.failure.message);
  if (event.type === "context.failed" || event.type === "journal.failed") return failed(event.message);
  return {};
}
