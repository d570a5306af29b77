import { RequestError, type StopReason } from "@agentclientprotocol/sdk/unstable";
import type { Failure } from "../../machines/task/task.events.ts";
import type { TaskEnd } from "../../runtime/task/task-end.ts";

/**
 * The reason why the turn of a task that settled has ended (docs/guide/acp.md).
 *
 * @param failure the failure of the last request, if it failed
 * @throws RequestError if the request to the model failed
 */
export function stopReasonOf({ ask }: TaskEnd, text: string, failure: Failure | undefined): StopReason {
  switch (ask) {
    case "limit":
      return "max_turn_requests";
    case "resume":
      return "cancelled";
    case "failure":
      if (failure?.code === "refusal") return "refusal";
      throw failureError(text, failure);
    default:
      return "end_turn";
  }
}

/** Errors of an endpoint that does not accept the key. */
const KEY_ERRORS: ReadonlySet<string | undefined> = new Set(["authentication_error", "no_api_key"]);

function failureError(text: string, failure: Failure | undefined): RequestError {
  const data = failure === undefined ? undefined : { code: failure.code };
  return KEY_ERRORS.has(failure?.code)
    ? RequestError.authRequired(data, text)
    : RequestError.internalError(data, text);
}
