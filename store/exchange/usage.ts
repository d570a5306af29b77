import type { ClineMessage } from "../../machines/message/message.ts";
import { requestInfo } from "../../machines/message/request.ts";
import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";

/** Total usage of the requests in a log. */
export function usageOf(messages: readonly ClineMessage[]): Usage {
  return messages.reduce(
    (total, message) => addUsage(total, { ...NO_USAGE, ...amountsOf(message) }),
    NO_USAGE,
  );
}

function amountsOf(message: ClineMessage): Partial<Usage> {
  const { apiProtocol, cancelReason, streamingFailedMessage, ...amounts } = requestInfo(message) ?? {};
  return amounts;
}
