import type { Log } from "../machines/message/log.ts";
import type { ClineMessage } from "../machines/message/message.ts";

/** The ask that was open when a task was interrupted, and withdrawn. Undefined for a task that does not rest on that. */
export function stoppedAsk(log: Log): ClineMessage | undefined {
  if (log.at(-1)?.ask !== "resume_task") return undefined;
  for (let position = log.length - 2; position >= 0; position -= 1) {
    const message = log.at(position);
    // Reports of what is uncertain stand between them.
    if (message?.say !== "error") return message?.closing === "withdrawn" ? message : undefined;
  }
  return undefined;
}
