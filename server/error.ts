/** Why a request was not served. The table in docs/errors.md says what each means, with its status. */
export type ServerErrorCode =
  | "HOST_REFUSED"
  | "ORIGIN_REFUSED"
  | "UNAUTHORIZED"
  | "TOKEN_WRONG"
  | "ROUTE_UNKNOWN"
  | "METHOD_UNKNOWN"
  | "PARAMETER_INVALID"
  | "BODY_TYPE"
  | "BODY_TOO_LARGE"
  | "BODY_INVALID"
  | "POSITION_INVALID"
  | "STREAMS_FULL"
  | "SERVER_CLOSED"
  | "INTERNAL";

/** What the server does not do for a client. The message says what was expected, what came and what to do. */
export class ServerError extends Error {
  readonly code: ServerErrorCode;
  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServerError";
    this.code = code;
  }
}
