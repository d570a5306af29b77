import type Sdk from "@anthropic-ai/sdk";
import type { APIError } from "@anthropic-ai/sdk";
import { asModelError, ModelError, streamCut } from "../../actors/llm/model-error.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  adviceOn,
  codeOf,
  codeOfWords,
  connectionError,
  isRetryable,
  retryAfter,
} from "../endpoint-failure.ts";
import { wordsIn } from "../endpoint-words.ts";

export interface ErrorFacts {
  /** Its error classes. */
  readonly sdk: typeof Sdk;
  readonly baseURL: string;
  readonly model: string;
  /** The key or token of the client. An endpoint may repeat it. */
  readonly secret: string;
  /** The setting to check where the key is wrong. */
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
  if (error instanceof sdk.APIConnectionError) return connectionError(error, baseURL);
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

/** The {@link ModelError} of an error in a stream: an event, or data without a type. */
export function streamError(data: string, headers: Headers, facts: ErrorFacts): ModelError {
  return apiError({ type: typeIn(data), message: wordsIn(data) ?? data, status: undefined, headers }, facts);
}

/** The type of an error in the form of the API. */
function typeIn(data: string): string | undefined {
  try {
    const type = JSON.parse(data)?.error?.type;
    return typeof type === "string" ? type : undefined;
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
  const code = codeOfWords(named, message);
  const shown = facts.secret === "" ? message : message.replaceAll(facts.secret, "***");
  const retryAfterMs = retryAfter(headers, facts.clock.now());
  return new ModelError(code, `${shown}${adviceOn(code, facts)}`, {
    retryable: isRetryable(code, status, headers),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause,
  });
}

/** The words of the endpoint, after the status. */
function messageOf({ error, message, status }: APIError): string {
  const words = wordsIn(error ?? message.replace(/^\d{3} /, ""));
  if (words === undefined) return message;
  return status === undefined ? words : `${status} ${words}`;
}
