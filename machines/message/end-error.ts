import { type AskType, isAskType } from "./asks.ts";
import { parseJson } from "./json.ts";
import type { MessageSequence } from "./log.ts";
import type { ClineMessage } from "./message.ts";

/** The codes of the errors that end a run and that are no failure of an endpoint. */
export type EndErrorCode =
  /** The model made `limits.mistakes` errors in a row. Run the task again, with guidance. */
  | "mistake_limit"
  /** The task has sent `limits.requests` requests. Answer the ask with yes to grant as many again. */
  | "request_limit"
  /** The task has cost `limits.cost`, or its cost is unknown. Answer the ask with yes to grant as much again. */
  | "cost_limit"
  /** The `budget` of the task and its subtasks is spent. Answer the ask with yes to grant the same again. */
  | "budget_spent"
  /** A hook denied the request. Read the message, then run the task again. */
  | "request_denied"
  /** The protocol that controls the task ended it. No request follows: start another task. */
  | "shut_down"
  /** The request could not be prepared. Read the message, then run the task again. */
  | "context_failed"
  /** A request failed, and its journal, of an earlier version, has no code. Read the message. */
  | "request_failed";

const SHUT_DOWN: EndErrorCode = "shut_down";

/** Whether an ask is the end of a task by its control protocol. */
export const isShutDown = (ask: string | undefined, errorCode: string | undefined): boolean =>
  ask === "api_req_failed" && errorCode === SHUT_DOWN;

/** The error that ended a run. */
export interface EndError {
  /** A code of this package or of the endpoint, such as `authentication_error`. */
  readonly code: EndErrorCode | (string & {});
  readonly message: string;
}

/**
 * Derive the error on which a task rests from its messages. Undefined where it rests on none. A task that was opened
 * again keeps the error of its last run until it continues.
 */
export function endErrorOf(messages: MessageSequence): EndError | undefined {
  const last = messages.at(-1);
  if (last?.ask !== "resume_task" || last.closing !== undefined) return errorOf(last);
  const before = messages.at(-2);
  return before?.closing === "withdrawn" ? errorOf(before) : undefined;
}

function errorOf(message: ClineMessage | null | undefined): EndError | undefined {
  if (message?.type !== "ask" || !isAskType(message.ask)) return undefined;
  const { ask, text, errorCode } = message;
  const code = codeOf(ask, text ?? "");
  return code === undefined ? undefined : { code: errorCode ?? code, message: describe(ask, text ?? "") };
}

function codeOf(ask: AskType, text: string): EndErrorCode | undefined {
  switch (ask) {
    case "api_req_failed":
      return "request_failed";
    case "mistake_limit_reached":
      return "mistake_limit";
    case "auto_approval_max_req_reached":
      return limitIn(text).type === "cost" ? "cost_limit" : "request_limit";
    default:
      return undefined;
  }
}

interface ReachedLimit {
  readonly count?: unknown;
  readonly type?: unknown;
  readonly reason?: unknown;
}

function limitIn(text: string): ReachedLimit {
  const limit = parseJson(text);
  return typeof limit === "object" && limit !== null ? limit : {};
}

function describe(ask: AskType, text: string): string {
  if (ask !== "auto_approval_max_req_reached") return text;
  const { count, type, reason } = limitIn(text);
  const reached = `The limit of ${String(count)} (${String(type)}) is reached.`;
  return typeof reason === "string" ? `${reached} ${reason}` : reached;
}
