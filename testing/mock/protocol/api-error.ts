/** An error in the format of the API. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly type: string;

  constructor(status: number, message: string, type = errorTypeOf(status)) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

export const invalidRequest = (message: string) => new ApiError(400, message);

const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** The API's error type for an HTTP status. */
export function errorTypeOf(status: number): string {
  return types[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

/** The HTTP status for one of the API's error types. */
export function statusOf(type: string): number {
  const found = Object.entries(types).find(([, name]) => name === type);
  return found === undefined ? 500 : Number(found[0]);
}

/** The body of an error. */
export const errorBody = (type: string, message: string, requestId: string) => ({
  type: "error",
  error: { type, message },
  request_id: requestId,
});
