import type Sdk from "@anthropic-ai/sdk";
import type { APIError } from "@anthropic-ai/sdk";
import { asModelError, causeOf, ModelError, streamCut } from "../../actors/llm/index.ts";
import type { Clock } from "../../actors/protocol/index.ts";
import { adviceOn, codeOf, isRetryable, retryAfter } from "../endpoint-failure.ts";

/** How the API says that a request, with the longest response to it, is longer than the context window. */
const TOO_LONG = /prompt is too long|exceeds? (?:the )?context (?:limit|window)/i;

export interface ErrorFacts {
  /** Its error classes. */
  readonly sdk: typeof Sdk;
  readonly baseURL: string;
  readonly model: string;
  /** What to check where the key is wrong. */
  readonly keySource: string;
  /** For a Retry-After that is a date. */
  readonly clock: Clock;
}

/** The {@link ModelError} of what the SDK or a read of the response throws. */
export function modelErrorOf(error: unknown, facts: ErrorFacts): ModelError {
  if (error instanceof ModelError) return error;
  const { sdk, baseURL } = facts;
  const options = { retryable: true, cause: error };
  if (error instanceof sdk.APIConnectionTimeoutError) {
    const message = `Expected a response from ${baseURL} in time, received none. Try again, or raise idleTimeoutMs.`;
    return new ModelError("idle_timeout", message, options);
  }
  if (error instanceof sdk.APIConnectionError) {
    const message = `Cannot reach ${baseURL}: ${causeOf(error)}. Check the network and the base URL.`;
    return new ModelError("connection_error", message, options);
  }
  if (error instanceof sdk.APIError) {
    const { type, status, headers } = error;
    const message = messageOf(error);
    return apiError({ type: type ?? undefined, message, status, headers, cause: error }, facts);
  }
  // A value that is nested too deeply overflows the stack.
  if (error instanceof SyntaxError || error instanceof RangeError || error instanceof sdk.AnthropicError)
    return new ModelError("bad_stream", `Expected JSON events from ${baseURL}: ${error.message}`, options);
  // A connection that breaks mid-stream: undici reports "terminated", a proxy may abort.
  if (error instanceof DOMException) return streamCut(`the connection was lost (${error.message})`, error);
  return asModelError(error);
}

/** The {@link ModelError} of an `error` event in a stream. */
export function streamError(data: string, headers: Headers, facts: ErrorFacts): ModelError {
  const error = errorOf(data);
  const type = typeof error?.type === "string" ? error.type : undefined;
  const message = typeof error?.message === "string" && error.message !== "" ? error.message : data;
  return apiError({ type, message, status: undefined, headers }, facts);
}

function errorOf(data: string): { readonly type?: unknown; readonly message?: unknown } | undefined {
  try {
    return JSON.parse(data)?.error;
  } catch {
    return undefined;
  }
}

interface ApiFacts {
  readonly type: string | undefined;
  readonly message: string;
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly cause?: unknown;
}

function apiError({ type, message, status, headers, cause }: ApiFacts, facts: ErrorFacts): ModelError {
  const named = type ?? codeOf(status);
  const code = named === "invalid_request_error" && TOO_LONG.test(message) ? "prompt_too_long" : named;
  const retryAfterMs = retryAfter(headers, facts.clock.now());
  return new ModelError(code, `${message}${adviceOn(code, facts)}`, {
    retryable: isRetryable(code, status, headers),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause,
  });
}

function messageOf({ apiMessage, message, status }: APIError): string {
  if (typeof apiMessage !== "string" || apiMessage === "") return message;
  return status === undefined ? apiMessage : `${status} ${apiMessage}`;
}
