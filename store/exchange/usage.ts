import { type ClineMessage, requestInfo } from "../../machines/message/index.ts";
import { addUsage, NO_USAGE, type Usage } from "../../machines/task/index.ts";

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
