import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { HostError } from "../../runtime/task/errors.ts";
import { TaskHistoryError } from "../../store/task-history/error.ts";
import { errorMessage, KeyError } from "../error.ts";
import { RefusalError } from "../refusal.ts";

/** The error response to a request that failed with this error. It has no stack. */
export function toRequestError(error: unknown, sessionId?: string): RequestError {
  if (error instanceof RequestError) return error;
  const message = errorMessage(error);
  if (error instanceof KeyError) return RequestError.authRequired(undefined, message);
  if (error instanceof TaskHistoryError && UNKNOWN.has(error.code) && sessionId !== undefined)
    return RequestError.sessionNotFound(sessionId);
  if (error instanceof HostError && error.code === "OPTION_INVALID")
    return RequestError.invalidParams({ code: error.code }, message);
  if (error instanceof RefusalError || (error instanceof HostError && error.code === "TASK_BUSY"))
    return RequestError.invalidRequest({ code: error.code }, message);
  return RequestError.internalError(undefined, message);
}

const UNKNOWN: ReadonlySet<string> = new Set(["TASK_UNKNOWN", "ID_INVALID"]);
