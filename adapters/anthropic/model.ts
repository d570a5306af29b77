import Anthropic from "@anthropic-ai/sdk";
import {
  type ChatModel,
  inFrames,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  streamCut,
} from "../../actors/llm/index.ts";
import { type Clock, systemClock } from "../../actors/protocol/index.ts";
import { modelErrorOf } from "./errors.ts";
import { RawAnswer } from "./events.ts";
import { type PriceTable, priceOf } from "./prices.ts";
import { bodyOf, type Effort, type Thinking } from "./request.ts";

/**
 * How often the model gives what has come, in milliseconds. A little more than the task's own frame: what comes then
 * finds that one open, and one timer does for both.
 */
const FRAME_MS = 30;
/** How long a connection may take to end after its last event, in milliseconds, so that it can be used again. */
const LINGER_MS = 100;
const MAX_TOKENS = 16_384;

export interface AnthropicOptions {
  /** The model's name, as the API knows it. */
  readonly model: string;
  /** Default: ANTHROPIC_API_KEY. */
  readonly apiKey?: string | undefined;
  /** A bearer token in place of a key. Default: ANTHROPIC_AUTH_TOKEN. */
  readonly authToken?: string | undefined;
  /** Default: ANTHROPIC_BASE_URL, or the public API. */
  readonly baseURL?: string | undefined;
  /** The longest answer, thinking included, in tokens. Default 16,384, beside the thinking budget. */
  readonly maxTokens?: number | undefined;
  readonly thinking?: Thinking | undefined;
  /** How much work the model puts into an answer, where it knows such levels. */
  readonly effort?: Effort | undefined;
  /** Prices by the beginning of a model's name; they go before the built-in ones. */
  readonly prices?: PriceTable | undefined;
  /** More headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The longest silence of the endpoint, in milliseconds. Default 120,000. */
  readonly idleTimeoutMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A Claude model behind the Messages API. It never retries (retrying is a state of the task) and marks what the
 * endpoint may cache. The key is looked for when a request is made.
 *
 * Failures are {@link ModelError}s: the API's own error types, and `no_api_key`, `connection_error`, `stream_cut`,
 * `idle_timeout`, `bad_stream`, `refusal`.
 *
 * @example
 * ```ts
 * import { anthropic } from "signalbox/adapters";
 * const model = anthropic({ model: "claude-sonnet-5-5", thinking: { budgetTokens: 4_000 } });
 * ```
 */
export function anthropic(options: AnthropicOptions): ChatModel {
  const client = clientOf(options);
  return {
    id: options.model,
    stream: (request, signal) => stream(client, options, request, signal),
  };
}

async function* stream(
  clientNow: () => Anthropic,
  options: AnthropicOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { clock = systemClock, idleTimeoutMs = 120_000 } = options;
  const client = clientNow();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) return;
    const body = bodyOf(request, { ...options, maxTokens: maxTokensOf(options) });
    // messages.create() is this and words on the console about old models: the console is not ours.
    const { data, response } = await client
      .post<AsyncIterable<unknown>>("/v1/messages", {
        body,
        stream: true,
        signal: stop.signal,
        timeout: idleTimeoutMs,
      })
      .withResponse();
    expectEvents(response, client.baseURL);
    const answer = new RawAnswer(priceOf(options.model, options.prices));
    const frames = { clock, signal, frameMs: FRAME_MS, idleTimeoutMs, lingerMs: LINGER_MS };
    for await (const batch of inFrames(data, answer, frames)) yield* batch;
    if (!answer.done && !signal.aborted) throw streamCut("the connection ended");
  } catch (error) {
    if (signal.aborted) return;
    throw modelErrorOf(error, { baseURL: client.baseURL, model: options.model, now: clock.now() });
  } finally {
    signal.removeEventListener("abort", onAbort);
    stop.abort();
  }
}

/** The client for the key and the address as they are now; a new one only when these have changed. */
function clientOf(options: AnthropicOptions): () => Anthropic {
  let known: { readonly for: string; readonly client: Anthropic } | undefined;
  return () => {
    const credential = credentialOf(options);
    const baseURL = options.baseURL || process.env.ANTHROPIC_BASE_URL || null;
    const facts = JSON.stringify([credential, baseURL]);
    if (known?.for !== facts) known = { for: facts, client: newClient(options, { ...credential, baseURL }) };
    return known.client;
  };
}

function newClient(options: AnthropicOptions, where: ConstructorParameters<typeof Anthropic>[0]): Anthropic {
  return new Anthropic({
    ...where,
    maxRetries: 0,
    // What goes wrong is told by the error.
    logLevel: "off",
    ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
}

function credentialOf(
  options: AnthropicOptions,
): { readonly apiKey: string } | { readonly authToken: string } {
  if (options.apiKey) return { apiKey: options.apiKey };
  if (options.authToken) return { authToken: options.authToken };
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = process.env;
  if (apiKey) return { apiKey };
  if (authToken) return { authToken };
  throw new ModelError(
    "no_api_key",
    "There is no API key: set ANTHROPIC_API_KEY, or give apiKey.\nWithout one, `signalbox mock` is a local endpoint that answers from a script: point --base-url at it.",
    { retryable: false },
  );
}

function maxTokensOf({ maxTokens, thinking }: AnthropicOptions): number {
  if (maxTokens !== undefined) return maxTokens;
  return MAX_TOKENS + (typeof thinking === "object" ? thinking.budgetTokens : 0);
}

/** A page of HTML where the API should be has no events: better said than taken for a cut answer. */
function expectEvents(response: Response, baseURL: string): void {
  const type = response.headers.get("content-type");
  if (type === null || type.includes("text/event-stream")) return;
  throw new ModelError(
    "bad_stream",
    `${baseURL} answered with ${type}: expected text/event-stream. Is the base URL that of a Messages API?`,
    { retryable: false },
  );
}
