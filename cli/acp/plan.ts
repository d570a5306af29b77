import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { ClineMessage } from "../../machines/message/message.ts";
import { parseDescriptor } from "../../wire/descriptor.ts";

const STATUSES: ReadonlyMap<string, PlanEntry["status"]> = new Map([
  ["in_progress", "in_progress"],
  ["completed", "completed"],
]);

/** The plan that a call sets, from the message that asks about it. Undefined: the call is about something else. */
export function planOf({
  text,
}: ClineMessage): Extract<SessionUpdate, { sessionUpdate: "plan" }> | undefined {
  const descriptor = parseDescriptor(text);
  if (descriptor?.tool !== "updateTodoList" || typeof descriptor.todos !== "object") return undefined;
  const entries = descriptor.todos.map(
    ({ content, status }): PlanEntry => ({
      content,
      // The todo list has no priorities.
      priority: "medium",
      status: STATUSES.get(status) ?? "pending",
    }),
  );
  return { sessionUpdate: "plan", entries };
}
