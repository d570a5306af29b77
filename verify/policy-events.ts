import type { TaskEmitted } from "../machines/task/task.events.ts";

const BEGUN: ReadonlySet<string> = new Set(["running", "delegated", "settled"]);

/** Whether policies over time may be about the event. A change of the mode makes verdicts stale (law GATE). */
export function mayMatter(event: TaskEmitted): boolean {
  if (event.type === "call.changed") return BEGUN.has(event.call.phase);
  if (event.type !== "message.appended") return false;
  return event.message.say === "user_feedback" || event.message.say === "api_req_started";
}
