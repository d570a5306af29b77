import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { type Log, positionOf } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";

type CompactionUpdate = Extract<SessionUpdate, { sessionUpdate: "compaction_update" }>;

/** How far the condensing of the conversation is, from its message in a log. Undefined: it is about something else. */
export function compactionUpdate(message: ClineMessage, log: Log): CompactionUpdate | undefined {
  if (message.say !== "condense_context") return undefined;
  const compactionId = String(message.ts);
  const update = (fields: Pick<CompactionUpdate, "status" | "summary" | "error">): CompactionUpdate => ({
    sessionUpdate: "compaction_update",
    compactionId,
    ...fields,
  });
  if (message.partial === true) return update({ status: "in_progress" });
  const summary = message.contextCondense?.summary;
  if (typeof summary === "string")
    return update({ status: "completed", summary: [{ type: "text", text: summary }] });
  // The reason is the next message; without one, the task was cancelled.
  const next = log.at(positionOf(log, message.ts) + 1);
  return next?.say === "condense_context_error"
    ? update({ status: "failed", error: next.text ?? "" })
    : update({ status: "cancelled" });
}
