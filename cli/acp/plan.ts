import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { ClineMessage } from "../../machines/message/message.ts";
import { parseCall } from "../../present/parse-call.ts";

const STATUSES: ReadonlyMap<string, PlanEntry["status"]> = new Map([
  ["in_progress", "in_progress"],
  ["completed", "completed"],
]);

/** The plan that a call sets, from the message that asks about it. Undefined: the call is about something else. */
export function planOf(message: ClineMessage): Extract<SessionUpdate, { sessionUpdate: "plan" }> | undefined {
  const content = parseCall(message)?.content;
  if (content?.kind !== "plan") return undefined;
  const entries = content.todos.map(
    ({ content, status }): PlanEntry => ({
      content,
      // The todo list has no priorities.
      priority: "medium",
      status: STATUSES.get(status) ?? "pending",
    }),
  );
  return { sessionUpdate: "plan", entries };
}
