import { stripVTControlCharacters } from "node:util";
import { SignalboxError } from "../../machines/signalbox-error.ts";
import type { Failure } from "../../machines/task/task.events.ts";

/** Maximum length of a failure's message, in characters; an endpoint may send a whole error page. */
const MESSAGE_MAX_CHARS = 2_000;

export interface ModelErrorOptions {
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The HTTP status, where there was one. */
  readonly status?: number;
  /** How long the endpoint asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Known codes of a {@link ModelError}. An endpoint may send others, so `code` is an open string. */
export type ModelErrorCode =
  /** No API key is set. Set the variable that the message names, or use the mock server. */
  | "no_api_key"
  /** The model has no endpoint. Set `baseURL`. */
  | "no_endpoint"
  /** The package of the provider is not installed. Install it as the message says. */
  | "missing_package"
  /** The endpoint cannot be reached. Check the network and the base URL. */
  | "connection_error"
  /** The response ended without its end event (L4). Try again. */
  | "stream_cut"
  /** No event came within `idleTimeoutMs`. Try again, or raise the limit. */
  | "idle_timeout"
  /** The response does not follow the streaming protocol. Check the base URL. */
  | "bad_stream"
  /** The response has neither text nor a tool call. Try again, or raise `maxTokens`. */
  | "empty_answer"
  /** The response exceeds `answerMaxChars` (L14). Raise it, or ask for less. */
  | "answer_too_large"
  /** The model refused to respond. Rephrase the request. */
  | "refusal"
  /** A model threw another error. Fix the model. */
  | "model_error"
  /** 400 or 422: the API rejected the request. Read the message. */
  | "invalid_request_error"
  /** 401: the key is wrong. Check the key. */
  | "authentication_error"
  /** 402: the account cannot be charged. Check the account. */
  | "billing_error"
  /** 403: the key lacks a permission. Use another key. */
  | "permission_error"
  /** 404: the model or the URL does not exist. Check the model id and the base URL. */
  | "not_found_error"
  /** 400: the request is longer than the context window. The task condenses its conversation and sends it again, once. */
  | "prompt_too_long"
  /** The API cannot use an image. The task replaces its images by a text and sends the request again. Use smaller images. */
  | "image_refused"
  /** 413: the request has too many bytes. The task condenses its conversation and sends it again, once. */
  | "request_too_large"
  /** 429: too many requests. Wait. */
  | "rate_limit_error"
  /** 408 or 504: the API timed out. Try again. */
  | "timeout_error"
  /** 409: the API was in a conflicting state. Try again. */
  | "conflict_error"
  /** 500 or a higher status: the API failed. Try again. */
  | "api_error"
  /** 529: the API is overloaded. Try again later. */
  | "overloaded_error";

/**
 * Failure of a request to a model. `code` is the error type of the endpoint, or one of this package.
 */
export class ModelError extends SignalboxError implements Failure {
  readonly code: ModelErrorCode | (string & {});
  readonly retryable: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number;

  constructor(code: ModelErrorCode | (string & {}), message: string, options: ModelErrorOptions) {
    // A response is quoted: it may be cut within a character.
    super(
      bounded(masked(message)).toWellFormed(),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = "ModelError";
    this.code = code.toWellFormed();
    this.retryable = options.retryable;
    if (options.status !== undefined) this.status = options.status;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** The failure for an error that a model threw. */
export function failureOf(error: unknown): Failure {
  const { code, message, retryable, status, retryAfterMs } = asModelError(error);
  return {
    code,
    message,
    retryable,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Convert any error to a {@link ModelError}. */
export function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const message = error instanceof Error ? error.message : String(error);
  // Messages of undici for a response that was cut and for an unreachable endpoint.
  if (error instanceof TypeError && message === "terminated") return streamCut(causeOf(error), error);
  if (error instanceof TypeError && message === "fetch failed") {
    return new ModelError("connection_error", `The endpoint could not be reached: ${causeOf(error)}.`, {
      retryable: true,
      cause: error,
    });
  }
  return new ModelError("model_error", `The model failed: ${message}`, { retryable: false, cause: error });
}

/** The error of a response that ended without its end event (L4). */
export function streamCut(why: string, cause?: unknown): ModelError {
  return new ModelError(
    "stream_cut",
    `The answer was cut: expected its end mark, but ${why}. The incomplete response is not used.`,
    { retryable: true, cause },
  );
}

/** The innermost cause: the first one of several attempts. */
export function rootOf(error: unknown): unknown {
  let deepest = error;
  for (let depth = 0; depth < 8; depth += 1) {
    if (deepest instanceof AggregateError && deepest.errors.length > 0) deepest = deepest.errors[0];
    else if (deepest instanceof Error && deepest.cause !== undefined) deepest = deepest.cause;
    else break;
  }
  return deepest;
}

/** The message of the innermost cause, with its code where the message lacks it. */
export function causeOf(error: unknown): string {
  const root = rootOf(error);
  if (!(root instanceof Error)) return String(root);
  if (root.message === "terminated") return "the connection was lost";
  const code = "code" in root && typeof root.code === "string" ? root.code : "";
  if (root.message === "") return code === "" ? root.name : code;
  return code === "" || root.message.includes(code) ? root.message : `${root.message} (${code})`;
}

/** Keys of known forms. Their first characters stay. */
const KEYS = /\b(sk-|sk_|gsk_|xai-|hf_|nvapi-|AIza|ghp_|github_pat_|Bearer\s+)[\w.~+/-]{8,}=*/gi;

/** The message without keys, control sequences and control characters but line breaks and tabs. */
function masked(message: string): string {
  return (
    stripVTControlCharacters(message)
      .replace(KEYS, "$1***")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: They are removed.
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
  );
}

function bounded(message: string): string {
  return message.length <= MESSAGE_MAX_CHARS ? message : `${message.slice(0, MESSAGE_MAX_CHARS)}... (cut)`;
}
