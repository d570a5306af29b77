import { type AskType, isAskType } from "../machines/message/asks.ts";

/** The reason why a task is at rest. `limited`: it reached a limit of consecutive errors, requests or cost. */
export type RestReason = "completed" | "failed" | "limited" | "interrupted";

const BY_PATH: Readonly<Record<string, RestReason>> = {
  "idle.completing": "completed",
  "idle.delivering": "completed",
  "idle.completed": "completed",
  "idle.declined": "completed",
  "idle.reopened": "completed",
  "idle.failed": "failed",
  "idle.limited": "limited",
  "idle.mistaken": "limited",
  resumable: "interrupted",
};

/** An imported task is in `idle` without a child state. */
const BY_ASK: Readonly<Partial<Record<AskType, RestReason>>> = {
  completion_result: "completed",
  resume_completed_task: "completed",
  api_req_failed: "failed",
  mistake_limit_reached: "limited",
  auto_approval_max_req_reached: "limited",
};

/**
 * The reason why a task rests, from the machine's state as a dotted path and its last ask; undefined while it is not at rest.
 */
export function restReason(path: string, lastAsk?: string): RestReason | undefined {
  if (path !== "idle") return BY_PATH[path];
  return isAskType(lastAsk) ? BY_ASK[lastAsk] : undefined;
}
