import type { StateUpdate } from "@agentclientprotocol/sdk/unstable";
import { endErrorOf } from "../../machines/message/end-error.ts";
import type { Log } from "../../machines/message/log.ts";
import { topState } from "../../machines/message/states.ts";
import { isCancel, restReason, type StateCause } from "../../wire/rest-reason.ts";

/** A moment of a task: the state of its machine as a dotted path, its messages, and the event that led there. */
export interface TaskMoment {
  readonly path: string;
  readonly log: Log;
  readonly cause: StateCause | undefined;
}

/** The states at rest in which a subtask may ask a person how to go on: a policy may answer in place of the person. */
const ASKING: ReadonlySet<string> = new Set([
  "idle.completing",
  "idle.failed",
  "idle.limited",
  "idle.mistaken",
]);

/** The work of an open subtask. Undefined before it has started, and while it may ask how to go on. */
export function workState(moment: TaskMoment): StateUpdate | undefined {
  switch (topState(moment.path)) {
    case "no_task":
      return undefined;
    case "running":
    case "streaming":
      return { state: "running" };
    case "waiting_for_input":
      return { state: "requires_action" };
    default:
      return ASKING.has(moment.path) ? undefined : restState(moment);
  }
}

/** The work of a subtask that is not open. Undefined: its process ended while it worked, so nothing is known of its end. */
export function restState(moment: TaskMoment): StateUpdate | undefined {
  const { path, log, cause } = moment;
  const state = topState(path);
  const last = log.at(-1);
  switch (restReason(path, last)) {
    case "completed":
      return { state: "idle", stopReason: "end_turn" };
    case "limited":
      return { state: "idle", stopReason: "max_turn_requests" };
    case "failed":
    case "ended":
      return failedState(log);
    case "paused":
    case "interrupted":
      return isCancel(state, cause) ? { state: "idle", stopReason: "cancelled" } : { state: "idle" };
    default:
      return undefined;
  }
}

/** JSON-RPC: Internal error. */
const INTERNAL_ERROR = -32603;

function failedState(log: Log): StateUpdate {
  const failure = endErrorOf(log);
  if (failure?.code === "refusal") return { state: "idle", stopReason: "refusal" };
  const error = failure && { code: INTERNAL_ERROR, message: failure.message, data: { code: failure.code } };
  return { state: "idle", stopReason: "error", ...(error !== undefined && { error }) };
}
