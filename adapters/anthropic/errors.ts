import { AnthropicError, APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import { asModelError, causeOf, ModelError, streamCut } from "../../actors/llm/index.ts";

/** The error types of the API by status, for answers that don't name theirs. */
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

export interface ErrorFacts {
  readonly baseURL: string;
  readonly model: string;
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly now: number;
}

/** What the SDK threw, as a {@link ModelError}: before the first byte, or in the middle of the answer. */
export function modelErrorOf(error: unknown, facts: ErrorFacts): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return new ModelError("idle_timeout", `${facts.baseURL} did not begin to answer in time.`, {
      retryable: true,
      cause: error,
    });
  }
  if (error instanceof APIConnectionError) {
    return new ModelError("connection_error", `${facts.baseURL} could not be reached: ${causeOf(error)}.`, {
      retryable: true,
      cause: error,
    });
  }
  if (error instanceof APIError) return ofApi(error, facts);
  if (error instanceof SyntaxError || error instanceof AnthropicError) {
    return new ModelError("bad_stream", `${facts.baseURL} sent an event that is not JSON: ${error.message}`, {
      retryable: true,
      cause: error,
    });
  }
  // A connection that is lost in the middle: undici says "terminated", a proxy may abort.
  if (error instanceof DOMException) return streamCut(`the connection was lost (${error.message})`, error);
  return asModelError(error);
}

function ofApi(error: APIError, { model, now }: ErrorFacts): ModelError {
  const status: number | undefined = error.status;
  const code = typeof error.type === "string" ? error.type : codeOf(status);
  const retryAfterMs = retryAfter(error.headers, now);
  return new ModelError(code, `${said(error)}${hint(code, model)}`, {
    retryable: isRetryable(code, status, error.headers),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause: error,
  });
}

function codeOf(status: number | undefined): string {
  if (status === undefined) return "api_error";
  return CODES.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

function isRetryable(code: string, status: number | undefined, headers: Headers | undefined): boolean {
  const told = headers?.get("x-should-retry");
  if (told === "true") return true;
  // In an answer that has begun, the headers were written before anything went wrong.
  if (status === undefined) return RETRYABLE_CODES.has(code);
  if (told === "false") return false;
  return status >= 500 || RETRYABLE_STATUSES.has(status);
}

function said(error: APIError): string {
  const { apiMessage } = error;
  if (typeof apiMessage !== "string" || apiMessage === "") return error.message;
  return error.status === undefined ? apiMessage : `${error.status} ${apiMessage}`;
}

function hint(code: string, model: string): string {
  if (code === "authentication_error") return "\nCheck ANTHROPIC_API_KEY, or the apiKey option.";
  if (code === "not_found_error") return `\nCheck the model's name (${model}) and the base URL.`;
  if (code === "request_too_large") return "\nThe conversation is too long for one request.";
  return "";
}

/** How long to wait, in milliseconds, from `retry-after-ms` or `retry-after` (seconds or an HTTP date). */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const ms = positive(headers?.get("retry-after-ms"));
  if (ms !== undefined) return ms;
  const told = headers?.get("retry-after") ?? undefined;
  if (told === undefined) return undefined;
  const seconds = positive(told);
  if (seconds !== undefined) return seconds * 1_000;
  const date = Date.parse(told);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
