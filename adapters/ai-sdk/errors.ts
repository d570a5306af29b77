import { asModelError, ModelError, streamCut } from "../../actors/llm/model-error.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  codeOf,
  codeOfWords,
  connectionError,
  isProxyFailure,
  isRetryable,
  retryAfter,
} from "../endpoint-failure.ts";
import { wordsIn } from "../endpoint-words.ts";
import { isJson, type Json } from "./metadata.ts";

/** How Google says with status 400 that a key is wrong. */
const WRONG_KEY = /API_KEY_INVALID|API key not valid/;

/**
 * The {@link ModelError} of what a language model throws or streams. The errors of the AI SDK are known by their names and
 * fields: the classes belong to the copy of the package that the provider has.
 */
export function modelErrorOf(error: unknown, clock: Clock): ModelError {
  if (error instanceof ModelError) return error;
  if (isProxyFailure(error)) return connectionError(error, "the endpoint");
  if (error instanceof DOMException) return streamCut(`the connection was lost (${error.message})`, error);
  if (!isJson(error)) return asModelError(error);
  if (error.name === "AI_LoadAPIKeyError")
    return new ModelError("no_api_key", messageOf(error), { retryable: false, cause: error });
  if (error.name === "AI_APICallError") return callError(error, clock);
  if (PROTOCOL_ERRORS.has(error.name) && NO_END.test(messageOf(error)))
    return streamCut("no finish reason came", error);
  if (PROTOCOL_ERRORS.has(error.name))
    return new ModelError("bad_stream", `Expected a response of the provider: ${messageOf(error)}.`, {
      retryable: true,
      cause: error,
    });
  // Not an exception: what the endpoint sent.
  return error instanceof Error ? asModelError(error) : streamedError(error);
}

/** How providers say that a stream was cut. */
const NO_END = /without a finish reason/i;
const PROTOCOL_ERRORS: ReadonlySet<unknown> = new Set([
  "AI_TypeValidationError",
  "AI_JSONParseError",
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_NoContentGeneratedError",
]);

function callError(error: Json, clock: Clock): ModelError {
  const { statusCode, responseHeaders, url } = error;
  const status = typeof statusCode === "number" ? statusCode : undefined;
  if (status === undefined || status < 300) {
    const where = typeof url === "string" ? withoutQuery(url) : "the endpoint";
    return connectionError(error, where);
  }
  const headers = headersOf(responseHeaders);
  const retryAfterMs = retryAfter(headers, clock.now());
  const code = codeOfCall(status, bodyOf(error));
  return new ModelError(code, `${status} ${wordsIn(error.responseBody) ?? messageOf(error)}`, {
    retryable: isRetryable(code, status, headers),
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause: error,
  });
}

function codeOfCall(status: number, body: string): string {
  if (status === 400 && WRONG_KEY.test(body)) return "authentication_error";
  return codeOfWords(codeOf(status), body);
}

function streamedError(error: Json): ModelError {
  const message = wordsIn(error) ?? JSON.stringify(error);
  const code = codeOfWords("api_error", JSON.stringify(error));
  return new ModelError(code, `The endpoint failed: ${message}`, {
    retryable: code === "api_error",
    cause: error,
  });
}

const messageOf = ({ message }: Json): string => (typeof message === "string" ? message : "no message");
const bodyOf = (error: Json): string => `${messageOf(error)} ${String(error.responseBody ?? "")}`;

function headersOf(value: unknown): Headers {
  const entries = isJson(value) ? Object.entries(value) : [];
  return new Headers(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** A URL may have a key in its query. */
const withoutQuery = (url: string): string => url.split("?", 1)[0] ?? url;
