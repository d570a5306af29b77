import type { ClineMessage } from "../../machines/message/message.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";

/** The ask by which a person was asked about a call last. A partial one asks nobody. */
export function askedBy({ log }: Pick<TaskContext, "log">, callId: string): ClineMessage | undefined {
  for (let position = log.length - 1; position >= 0; position -= 1) {
    const message = log.at(position);
    if (message === undefined || message.say === "api_req_started") return undefined;
    if (message.type === "ask" && message.callId === callId && message.partial !== true) return message;
  }
  return undefined;
}

/** Whether a deadline answered the last ask about a call. */
export const isExpired = (context: Pick<TaskContext, "log">, callId: string): boolean =>
  askedBy(context, callId)?.closing === "expired";
