import type Anthropic from "@anthropic-ai/sdk";
import {
  type ChatModel,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  startWatchdog,
  streamCut,
} from "../../actors/llm/index.ts";
import { type Clock, systemClock } from "../../actors/protocol/index.ts";
import { ResponseDecoder } from "./decoder.ts";
import { type ErrorFacts, modelErrorOf, streamError } from "./errors.ts";
import { EventStreamParser, parseData, type ServerSentEvent } from "./event-stream.ts";
import { type PriceTable, priceOf } from "./prices.ts";
import { bodyOf, type Effort, type Thinking } from "./request.ts";

/** How long a connection may take to end after its last event, in milliseconds, so that it can be reused. */
const LINGER_MS = 100;
const MAX_TOKENS = 16_384;
/** Default endpoint. */
export const PUBLIC_API = "https://api.anthropic.com";
/** The SDK sends a text of a stated type as it is. */
const JSON_BODY = { "content-type": "application/json" };

export interface AnthropicOptions {
  /** The model's name, as the API knows it. */
  readonly model: string;
  /** Default: ANTHROPIC_API_KEY. */
  readonly apiKey?: string | undefined;
  /** A bearer token in place of a key. Default: ANTHROPIC_AUTH_TOKEN. */
  readonly authToken?: string | undefined;
  /** Default: ANTHROPIC_BASE_URL, or the public API. */
  readonly baseURL?: string | undefined;
  /** The longest response, thinking included, in tokens. Default 16,384, beside the thinking budget. */
  readonly maxTokens?: number | undefined;
  readonly thinking?: Thinking | undefined;
  /** How much work the model puts into a response, where it knows such levels. */
  readonly effort?: Effort | undefined;
  /** Prices by the beginning of a model's name; they go before the built-in ones. */
  readonly prices?: PriceTable | undefined;
  /** More headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The longest silence of the endpoint, in milliseconds. Default 120,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** The longest event of a response, in characters (L14). Default 16 million. */
  readonly eventMaxChars?: number | undefined;
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
 * const model = anthropic({ model: "claude-sonnet-4-6", thinking: { budgetTokens: 4_000 } });
 * ```
 */
export function anthropic(options: AnthropicOptions): ChatModel {
  const client = clientOf(options);
  return {
    id: options.model,
    provider: "anthropic",
    // The environment may name another one for the next request.
    get endpoint() {
      return endpointOf(baseUrlOf(options) ?? PUBLIC_API);
    },
    stream: (request, signal) => stream(client, options, request, signal),
  };
}

async function* stream(
  getClient: (sdk: typeof Anthropic) => Anthropic,
  options: AnthropicOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { clock = systemClock, idleTimeoutMs = 120_000, eventMaxChars = 16_000_000 } = options;
  // Loaded for the first request: it is the largest dependency, and other models do without it.
  const { default: sdk } = await import("@anthropic-ai/sdk");
  const client = getClient(sdk);
  const facts: ErrorFacts = { sdk, baseURL: client.baseURL, model: options.model, clock };
  const abort = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let idle: ModelError | undefined;
  let isComplete = false;
  const stop = (error?: ModelError): void => {
    // An abort creates errors in each layer below; a connection that has ended needs none.
    if (isComplete) return;
    idle = error;
    abort.abort();
    // A fetch function may ignore its signal.
    reader?.cancel().catch(() => {});
  };
  const onAbort = (): void => stop();
  signal.addEventListener("abort", onAbort, { once: true });
  let stopWatchdog = (): void => {};
  try {
    if (signal.aborted) return;
    const body = bodyOf(request, { ...options, maxTokens: maxTokensOf(options) });
    // Like messages.create(), which also warns about old models on the console.
    const response = await client
      .post("/v1/messages", {
        body,
        headers: JSON_BODY,
        stream: true,
        signal: abort.signal,
        timeout: idleTimeoutMs,
      })
      .asResponse();
    reader = bodyStream(response, client.baseURL).getReader();
    const parser = new EventStreamParser(eventMaxChars);
    const decoder = new ResponseDecoder(priceOf(options.model, options.prices));
    const { headers } = response;
    const decode = ({ type, data }: ServerSentEvent): readonly ModelEvent[] => {
      if (type === "error") throw streamError(data, headers, facts);
      return type === "" || type === "ping" || data === "" ? [] : decoder.decode(parseData(data));
    };
    stopWatchdog = startWatchdog({ clock, idleTimeoutMs, count: () => decoder.count, onIdle: stop });
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      for (const event of decodeAll(parser.push(chunk.value), decode, signal)) {
        if (event.type === "finished") isComplete = await drain(reader, clock);
        yield event;
      }
      if (decoder.done) return;
    }
    if (!signal.aborted) throw idle ?? streamCut("the connection ended");
  } catch (error) {
    if (!signal.aborted) throw modelErrorOf(idle ?? error, facts);
  } finally {
    stopWatchdog();
    signal.removeEventListener("abort", onAbort);
    stop();
  }
}

/**
 * The model events of one chunk. Deltas of a block that came together are one delta: to pass an event through an async
 * iterator costs more than to parse it.
 */
function* decodeAll(
  events: readonly ServerSentEvent[],
  decode: (event: ServerSentEvent) => readonly ModelEvent[],
  signal: AbortSignal,
): Generator<ModelEvent> {
  let last: ModelEvent | undefined;
  try {
    for (const each of events) {
      for (const event of decode(each)) {
        if (signal.aborted) return;
        const joined = last === undefined ? event : join(last, event);
        if (joined === undefined && last !== undefined) yield last;
        last = joined ?? event;
      }
    }
  } catch (error) {
    if (last !== undefined) yield last;
    throw error;
  }
  if (last !== undefined) yield last;
}

/** One delta that adds what these two add, or undefined. */
function join(one: ModelEvent, next: ModelEvent): ModelEvent | undefined {
  if (one.type === "text.delta" && next.type === "text.delta")
    return { type: "text.delta", text: one.text + next.text };
  if (one.type === "tool.delta" && next.type === "tool.delta")
    return { type: "tool.delta", json: one.json + next.json };
  if (one.type === "thinking.delta" && next.type === "thinking.delta")
    return { type: "thinking.delta", text: one.text + next.text };
  return undefined;
}

/** Reads to the end of the connection, at most for {@link LINGER_MS}. Returns whether it has ended. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): Promise<boolean> {
  let hasEnded = true;
  const cancel = clock.after(LINGER_MS, () => {
    hasEnded = false;
    void reader.cancel().catch(() => {});
  });
  try {
    while (!(await reader.read()).done);
    return hasEnded;
  } catch {
    // The response is complete: how its connection ends does not matter.
    return false;
  } finally {
    cancel();
  }
}

/** Returns the client for the current key and URL; creates one only when these change. */
function clientOf(options: AnthropicOptions): (sdk: typeof Anthropic) => Anthropic {
  let cached: { readonly key: string; readonly client: Anthropic } | undefined;
  return (sdk) => {
    const credential = credentialOf(options);
    const baseURL = baseUrlOf(options) ?? null;
    const key = JSON.stringify([credential, baseURL]);
    if (cached?.key !== key) cached = { key, client: createClient(sdk, options, { ...credential, baseURL }) };
    return cached.client;
  };
}

const baseUrlOf = ({ baseURL }: AnthropicOptions): string | undefined =>
  baseURL || process.env.ANTHROPIC_BASE_URL || undefined;

/** A base URL without user, password, query and fragment: these may be secrets. Undefined if it is no URL. */
function endpointOf(baseURL: string): string | undefined {
  if (!URL.canParse(baseURL)) return undefined;
  const { origin, pathname } = new URL(baseURL);
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

function createClient(
  sdk: typeof Anthropic,
  options: AnthropicOptions,
  endpoint: ConstructorParameters<typeof Anthropic>[0],
): Anthropic {
  return new sdk({
    ...endpoint,
    maxRetries: 0,
    // Errors are thrown, not logged.
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
    "No API key: set ANTHROPIC_API_KEY, or the apiKey option.\nTo try without a key, start `signalbox mock` and point --base-url at it.",
    { retryable: false },
  );
}

function maxTokensOf({ maxTokens, thinking }: AnthropicOptions): number {
  if (maxTokens !== undefined) return maxTokens;
  return MAX_TOKENS + (typeof thinking === "object" ? thinking.budgetTokens : 0);
}

/** Returns the body of an event stream. Rejects another response, such as an HTML page: else it looks like a cut stream. */
function bodyStream({ headers, body }: Response, baseURL: string): ReadableStream<Uint8Array> {
  const type = headers.get("content-type") ?? "text/event-stream";
  if (body !== null && type.includes("text/event-stream")) return body;
  throw new ModelError(
    "bad_stream",
    `Expected text/event-stream from ${baseURL}, received ${body === null ? "no body" : type}. Check that the base URL is that of a Messages API.`,
    { retryable: false },
  );
}
