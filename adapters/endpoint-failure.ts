import { causeOf, ModelError, rootOf } from "../actors/llm/model-error.ts";
import { textBlock } from "../machines/conversation/blocks.ts";
import { estimateTokens } from "../machines/conversation/tokens.ts";
import type { ModelRequest } from "../ports/model.ts";
import { ProxyError } from "../tools/web/proxy.ts";

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

/**
 * How vendors say that a request is longer than the context window, or the window less the longest response. Sentences
 * about the number of tokens in a minute, and about `max_tokens` alone, are not among them.
 */
const TOO_LONG: readonly RegExp[] = [
  // OpenAI, Azure, Groq, Cerebras; llama.cpp; GitHub.
  /context_length_exceeded|exceed_context_size|max_prompt_tokens_exceeded/i,
  // Anthropic, Fireworks; Bedrock; Ollama.
  /\b(?:prompt|input|conversation)s? (?:is |are )?too (?:long|large)\b/i,
  // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral; xAI; SGLang.
  /maximum (?:context|prompt|model|input|sequence) length|longer than the (?:model's|maximum|context)/i,
  // Anthropic, OpenAI, Ollama, llama.cpp; LM Studio; MiniMax.
  /exceed\w* (?:the |its |your |max |maximum |model(?:'s)? |available |of |this |allowed |configured )*(?:context|input length|prompt length)/i,
  /context (?:size|length|window|limit) (?:has been |was |is )?exceed|context (?:length|window|size) of only|greater than the context length|reached context length/i,
  // Google; Moonshot; Cohere; GitHub; GLM.
  /exceed\w* (?:the )?(?:maximum number of tokens|model token limit|(?:max|maximum) length)|prompt token count of \d+ exceeds|tokens? in the prompt exceeds/i,
  // Hugging Face; Bedrock Titan; DashScope; Groq, vLLM.
  /`?inputs`? (?:tokens \+ `?max_new_tokens`?|must have less than \d+ tokens)|expected maxLength: \d+|range of input length|reduce the length of (?:the |your )?(?:messages|prompt|input)/i,
];

/** Codes that keep their meaning, whatever their message. */
const KEPT: ReadonlySet<string> = new Set([
  "authentication_error",
  "billing_error",
  "not_found_error",
  "overloaded_error",
  "permission_error",
  "rate_limit_error",
  "request_too_large",
  "timeout_error",
]);

/** The code of a failed response, with what the endpoint says. */
export function codeOfWords(code: string, words: string): string {
  return !KEPT.has(code) && TOO_LONG.some((form) => form.test(words)) ? "prompt_too_long" : code;
}

/** Share of the window from which a rejected request is taken as too long, by an estimate that is rather too large. */
const NEAR_WINDOW = 0.9;

/** How endpoints say that they cannot use an image. */
const IMAGE = /\bimages?\b|image_url|inline_?data|multimodal|mmproj|\bvision\b/i;
/** Codes of a request that is rejected for what it contains. */
const REJECTED: ReadonlySet<string> = new Set(["invalid_request_error", "api_error"]);

/**
 * The error of a request, with a code that fits what the request has. One with images may be rejected for an image. One that
 * is too long may be rejected in any words: it is too long if its estimated tokens are near the window.
 */
export function byRequest(
  error: ModelError,
  { system, messages, tools }: ModelRequest,
  contextWindow: number | undefined,
): ModelError {
  const { status } = error;
  if (!REJECTED.has(error.code) || status === undefined || status > 500) return error;
  if (IMAGE.test(error.message) && messages.some(({ content }) => content.some(hasImage)))
    return new ModelError("image_refused", error.message, { retryable: false, status, cause: error });
  if (contextWindow === undefined || (status !== 400 && status !== 422)) return error;
  const head = textBlock(`${system.join("")}${JSON.stringify(tools)}`);
  const content = messages.flatMap((entry): Parameters<typeof estimateTokens>[0] => entry.content);
  if (estimateTokens([head, ...content]) < NEAR_WINDOW * contextWindow) return error;
  return new ModelError("prompt_too_long", `${error.message}${adviceOn("prompt_too_long", NO_ADVICE)}`, {
    retryable: false,
    status,
    cause: error,
  });
}

const hasImage = (block: ModelRequest["messages"][number]["content"][number]): boolean =>
  block.type === "image" ||
  (block.type === "tool_result" && block.content.some(({ type }) => type === "image"));

const NO_ADVICE = { model: "", keySource: "" };

/** The error of a request that reached no endpoint: with the cause, such as `connect ECONNREFUSED 127.0.0.1:1`. */
export function connectionError(error: unknown, where: string): ModelError {
  const root = rootOf(error);
  const message =
    root instanceof ProxyError
      ? `Cannot reach ${where}. ${root.message}`
      : `Cannot reach ${where}: ${causeOf(error)}. Check the network and the base URL.`;
  return new ModelError("connection_error", message, {
    retryable: !(root instanceof ProxyError),
    cause: error,
  });
}

/** Whether an error comes from the settings of the proxy. */
export const isProxyFailure = (error: unknown): boolean => rootOf(error) instanceof ProxyError;

/** Whether the same request may succeed later. A header `x-should-retry` decides. */
export function isRetryable(code: string, status: number | undefined, headers: Headers | undefined): boolean {
  if (code === "prompt_too_long") return false;
  const header = headers?.get("x-should-retry");
  if (header === "true") return true;
  // The headers of a stream were written before its error.
  if (status === undefined) return RETRYABLE_CODES.has(code);
  if (header === "false") return false;
  return status >= 500 || RETRYABLE_STATUSES.has(status);
}

/** The advice about a failure, as a line for its message. Empty where its code says enough. */
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
