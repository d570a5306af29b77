import type { Failure } from "../../machines/task/index.ts";

/** The longest message that a failure carries, in characters: an error page is no reading. */
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

/**
 * A request to a model failed. `code` is the endpoint's own error type (`overloaded_error`,
 * `rate_limit_error`, `authentication_error`, `invalid_request_error`, ...) or one of ours:
 *
 * | code | meaning | retryable |
 * |---|---|---|
 * | `no_api_key` | no key was given | no |
 * | `connection_error` | the endpoint could not be reached | yes |
 * | `stream_cut` | the answer ended without its end mark (L4) | yes |
 * | `idle_timeout` | nothing came for `idleTimeoutMs` | yes |
 * | `bad_stream` | what came is not the streaming protocol | mostly |
 * | `empty_answer` | the answer has neither text nor a tool call | yes |
 * | `answer_too_large` | the answer passed `answerMaxChars` (L14) | no |
 * | `refusal` | the model declined to answer | no |
 * | `model_error` | anything else that a model threw | no |
 */
export class ModelError extends Error implements Failure {
  readonly code: string;
  readonly retryable: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number;

  constructor(code: string, message: string, options: ModelErrorOptions) {
    super(bounded(masked(message)), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ModelError";
    this.code = code;
    this.retryable = options.retryable;
    if (options.status !== undefined) this.status = options.status;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** What the task is told of an error that a model threw. */
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

/** An error of any kind as a {@link ModelError}; a broken connection is told from a broken model. */
export function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const message = error instanceof Error ? error.message : String(error);
  // undici's words for a response that was cut and for an endpoint out of reach.
  if (error instanceof TypeError && message === "terminated") return streamCut(causeOf(error), error);
  if (error instanceof TypeError && message === "fetch failed") {
    return new ModelError("connection_error", `The endpoint could not be reached: ${causeOf(error)}.`, {
      retryable: true,
      cause: error,
    });
  }
  return new ModelError("model_error", `The model failed: ${message}`, { retryable: false, cause: error });
}

/** The answer ended without its end mark (L4). `why`: what is known of it. */
export function streamCut(why: string, cause?: unknown): ModelError {
  return new ModelError(
    "stream_cut",
    `The answer was cut: expected its end mark, but ${why}. What came of it is not used.`,
    { retryable: true, cause },
  );
}

/** What stands at the bottom of a chain of causes. */
export function causeOf(error: unknown): string {
  let deepest = error;
  for (let depth = 0; depth < 8; depth += 1) {
    if (!(deepest instanceof Error) || deepest.cause === undefined) break;
    deepest = deepest.cause;
  }
  if (!(deepest instanceof Error)) return String(deepest);
  return deepest.message === "terminated" ? "the connection was lost" : deepest.message;
}

function masked(message: string): string {
  return message.replace(/\bsk-[\w-]{8,}/g, "sk-***");
}

function bounded(message: string): string {
  return message.length <= MESSAGE_MAX_CHARS ? message : `${message.slice(0, MESSAGE_MAX_CHARS)}... (cut)`;
}
