import { type AskType, isAskType, PAUSED } from "../machines/message/asks.ts";
import { isShutDown } from "../machines/message/end-error.ts";
import type { ClineMessage } from "../machines/message/message.ts";
import type { AgentLoopState } from "../machines/message/states.ts";

/**
 * The reason why a task is at rest. `limited`: it reached a limit of consecutive errors, requests or cost. `paused`: a person
 * paused it. `ended`: its control protocol ended it.
 */
export type RestReason = "completed" | "failed" | "limited" | "interrupted" | "paused" | "ended";

/** The last ask of a task, and what led to it. */
export type LastAsk = Pick<ClineMessage, "ask" | "errorCode" | "reason">;

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
export function restReason(
  path: string,
  { ask, errorCode, reason: why }: LastAsk = {},
): RestReason | undefined {
  if (path === "resumable" && why === PAUSED) return "paused";
  const reason = path === "idle" && isAskType(ask) ? BY_ASK[ask] : BY_PATH[path];
  return reason === "failed" && isShutDown(ask, errorCode) ? "ended" : reason;
}

/** The recorded event that led to a state. */
export interface StateCause {
  readonly type: string;
  /** The origin of a cancel. Absent in journals of earlier versions: the user. */
  readonly origin?: unknown;
}

/**
 * Whether the event that led to a state is one by which a person, or the parent of a subtask, ended the work of a task. A
 * process that stops also cancels its tasks: these are interrupted.
 */
export function isCancel(state: AgentLoopState, cause: StateCause | undefined): boolean {
  if (state !== "resumable" || cause === undefined) return false;
  const { type, origin = "user" } = cause;
  return type === "ask.answered" || (type === "task.cancel" && (origin === "user" || origin === "parent"));
}
