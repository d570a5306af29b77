/** Error types of the Messages API by status, which this package uses for every endpoint. */
const CODES = new Map<number, string>([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [408, "timeout_error"],
  [409, "conflict_error"],
  [413, "request_too_large"],
  [422, "invalid_request_error"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

const RETRYABLE_CODES = new Set(["overloaded_error", "api_error", "rate_limit_error", "timeout_error"]);
const RETRYABLE_STATUSES = new Set([408, 409, 429]);

/** The code of a failed response: by its status, or `api_error`. */
export function codeOf(status: number | undefined): string {
  if (status === undefined) return "api_error";
  return CODES.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

/** Whether the same request may succeed later. A header `x-should-retry` decides. */
export function isRetryable(code: string, status: number | undefined, headers: Headers | undefined): boolean {
  const header = headers?.get("x-should-retry");
  if (header === "true") return true;
  // The headers of a stream were written before its error.
  if (status === undefined) return RETRYABLE_CODES.has(code);
  if (header === "false") return false;
  return status >= 500 || RETRYABLE_STATUSES.has(status);
}

/** What to do about a failure, as a line for its message. Empty where its code says enough. */
export function adviceOn(
  code: string,
  { model, keySource }: { readonly model: string; readonly keySource: string },
): string {
  if (code === "authentication_error") return `\nCheck ${keySource}.`;
  if (code === "not_found_error") return `\nCheck the model's name (${model}) and the base URL.`;
  if (code === "request_too_large" || code === "prompt_too_long")
    return "\nThe conversation is too long for one request.";
  return "";
}

/** Delay before a retry, in milliseconds, from `retry-after-ms` or `retry-after` (seconds or an HTTP date). */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const ms = positive(headers?.get("retry-after-ms"));
  if (ms !== undefined) return ms;
  const header = headers?.get("retry-after") ?? undefined;
  if (header === undefined) return undefined;
  const seconds = positive(header);
  if (seconds !== undefined) return seconds * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
