import { SignalboxError } from "../machines/signalbox-error.ts";

/** Reason that a request was not served. The number is its HTTP status. */
export type ServerErrorCode =
  /** 403: the `Host` header is not a name of the server. Use the printed address, or add the name to `names`. */
  | "HOST_REFUSED"
  /** 403: the request comes from a page of another site. Open the page of the server itself, or add the site to `origins`. */
  | "ORIGIN_REFUSED"
  /** 401: the request has neither token nor cookie, or `authorize` rejects it. Send the token, or log in. */
  | "UNAUTHORIZED"
  /** 401: the token is from another start of the server. Open the printed address. */
  | "TOKEN_WRONG"
  /** 404: no route has this path. See `/api/openapi.json`. */
  | "ROUTE_UNKNOWN"
  /** 405: the path does not take this method. Use a method from `Allow`. */
  | "METHOD_UNKNOWN"
  /** 400: a path or query parameter is not valid. Send what the message names. */
  | "PARAMETER_INVALID"
  /** 415: the body is not declared as JSON. Send `Content-Type: application/json`. */
  | "BODY_TYPE"
  /** 413: the body exceeds `bodyBytes`. Send less, or raise the limit. */
  | "BODY_TOO_LARGE"
  /** 400: the body is not JSON or does not match its schema. Send what the message names. */
  | "BODY_INVALID"
  /** 400: `Last-Event-ID` is not the id of an event of this trace. Drop the received events and start over. */
  | "POSITION_INVALID"
  /** 404: the machine's state at a record was not kept. Open a stream with `microsteps=true`, or explain a later record. */
  | "MOMENT_UNKNOWN"
  /** 404: the suite has no such run, or the run has no log. Run the suite with `--export inspect`. */
  | "RUN_UNKNOWN"
  /** 404: the server shows no verification. Run `signalbox verify --page`. */
  | "VERIFICATION_UNKNOWN"
  /** 409: the judge of the server's tasks does not explain its verdicts. Use a judge with `explain`, such as `byRules`. */
  | "POLICY_OPAQUE"
  /** 409: the workspace has no checkpoints; the message has the reason. Install git, or open a task with a workspace. */
  | "CHECKPOINTS_OFF"
  /** 503: the limit `streams` is reached. Close a stream, or raise the limit. */
  | "STREAMS_FULL"
  /** Not a response: the reader of a stream took nothing for `stallMs`. Reconnect with `Last-Event-ID`. */
  | "READER_STALLED"
  /** 503: no worker opened the task within `workerMs`. Check that workers run, and try again. */
  | "WORKER_MISSING"
  /** 503: the worker ended before it answered: the request may have taken effect. Look at the task, then try again. */
  | "WORKER_LOST"
  /** 503: no worker took the command within `workerMs`. It is stored: check that workers run, and do not repeat it. */
  | "COMMAND_WAITS"
  /** 503: the server is closing. Try again later. */
  | "SERVER_CLOSED"
  /** 500: a defect, which the server logs. Report the time to the operator. */
  | "INTERNAL";

/** A request that the server does not serve. */
export class ServerError extends SignalboxError {
  readonly code: ServerErrorCode;
  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServerError";
    this.code = code;
  }
}

/** An answer or a queued message that the task rejected. `code` is the task's own code. */
export class RejectedError extends SignalboxError {
  readonly code: string;
  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.name = "RejectedError";
    this.code = code;
  }
}
