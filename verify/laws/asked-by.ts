import type { ClineMessage } from "../../machines/message/message.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";

/**
 * The last ask about whether a call may start. A partial one asks nobody, and the output of a command is asked about
 * when it has started.
 */
export function askedBy({ log }: Pick<TaskContext, "log">, callId: string): ClineMessage | undefined {
  for (let position = log.length - 1; position >= 0; position -= 1) {
    const message = log.at(position);
    if (message === undefined || message.say === "api_req_started") return undefined;
    if (message.callId === callId && asksToStart(message)) return message;
  }
  return undefined;
}

const asksToStart = ({ type, ask, partial }: ClineMessage): boolean =>
  type === "ask" && ask !== "command_output" && partial !== true;

/** Whether a deadline answered the last ask about a call. */
export const isExpired = (context: Pick<TaskContext, "log">, callId: string): boolean =>
  askedBy(context, callId)?.closing === "expired";
