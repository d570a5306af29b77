import { ModelError, streamCut } from "../../actors/llm/model-error.ts";
import { startWatchdog } from "../../actors/llm/watchdog.ts";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ChatModel, ModelEvent, ModelRequest } from "../../ports/model.ts";
import { byRequest } from "../endpoint-failure.ts";
import { wordsIn } from "../endpoint-words.ts";
import { factsOf } from "../models/facts.ts";
import { MODELS } from "../models/table.ts";
import { type Connection, connectorOf, endpointOf } from "./connection.ts";
import { ResponseDecoder } from "./decoder.ts";
import { type ErrorFacts, modelErrorOf, streamError } from "./errors.ts";
import { EventStreamParser, parseData, type ServerSentEvent } from "./event-stream.ts";
import { type AnthropicOptions, IDLE_TIMEOUT_MS } from "./options.ts";
import { priceOf } from "./prices.ts";
import { type BodyOptions, bodyOf, JSON_BODY } from "./request.ts";
import { withStrictSchemas } from "./strict-schemas.ts";
import { budgetOf } from "./thinking.ts";
import { countTokens } from "./token-count.ts";
import { streamOfMessage, textOf } from "./whole-message.ts";

/** How long a connection may take to end after its last event, in milliseconds, so that it can be reused. */
const LINGER_MS = 100;
const MAX_TOKENS = 16_384;
/** The last data of a stream of Chat Completions, which some gateways add. */
const END_OF_OTHERS = "[DONE]";

const contextWindowOf = ({ model, contextWindow }: AnthropicOptions): number | undefined =>
  contextWindow ?? factsOf(model, MODELS.anthropic).contextWindow;

/** A Claude model. */
export interface AnthropicModel extends ChatModel {
  /**
   * Counts the input tokens of a request; the endpoint generates no response and charges nothing.
   *
   * @throws ModelError with the codes of a request; the reason of `signal` when it aborts
   */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number>;
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
export function anthropic(options: AnthropicOptions): AnthropicModel {
  const connect = connectorOf(options);
  const format = { ...options, maxTokens: options.maxTokens ?? MAX_TOKENS + budgetOf(options.thinking) };
  return {
    id: options.model,
    provider: "anthropic",
    contextWindow: contextWindowOf(options),
    // The environment may name another one for the next request.
    get endpoint() {
      return endpointOf(options);
    },
    stream: (request, signal) => stream(connect, format, request, signal),
    countTokens: (request, signal) => countTokens(connect, format, request, signal),
  };
}

async function* stream(
  connect: () => Promise<Connection>,
  options: AnthropicOptions & BodyOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { clock = systemClock, idleTimeoutMs = IDLE_TIMEOUT_MS, eventMaxChars = 16_000_000 } = options;
  const { client, facts } = await connect();
  const abort = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let idle: ModelError | undefined;
  let isComplete = false;
  const stop = (error?: ModelError): void => {
    // An abort creates errors in each layer below; a connection that has ended needs none.
    if (isComplete) return;
    idle = error;
    abortApart(abort);
    // A fetch function may ignore its signal.
    reader?.cancel().catch(() => {});
  };
  const onAbort = (): void => stop();
  signal.addEventListener("abort", onAbort, { once: true });
  let stopWatchdog = (): void => {};
  try {
    if (signal.aborted) return;
    const body = bodyOf(await withStrictSchemas(request, options), options);
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
    const parser = new EventStreamParser(eventMaxChars);
    const price = priceOf(options.model, options.prices, options.cacheTtl);
    const decoder = new ResponseDecoder(price, eventMaxChars);
    stopWatchdog = startWatchdog({ clock, idleTimeoutMs, count: () => decoder.count, onIdle: stop });
    reader = (await bodyStream(response, facts, eventMaxChars)).getReader();
    const { headers } = response;
    const decode = ({ type, data }: ServerSentEvent): readonly ModelEvent[] => {
      if (type === "error") throw streamError(data, headers, facts);
      if (type === "ping" || data === "" || data === END_OF_OTHERS) return [];
      const event = typed(parseData(data), type);
      if (isError(event)) throw streamError(data, headers, facts);
      return decoder.decode(event);
    };
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      for (const event of decodeAll(parser.push(chunk.value), decode, signal)) {
        if (event.type === "finished") isComplete = await drain(reader, clock);
        yield event;
      }
      if (decoder.done) return;
    }
    if (!signal.aborted) throw idle ?? streamCut("the connection ended");
  } catch (error) {
    if (!signal.aborted)
      throw byRequest(modelErrorOf(idle ?? error, facts), request, contextWindowOf(options));
  } finally {
    stopWatchdog();
    signal.removeEventListener("abort", onAbort);
    stop();
  }
}

/**
 * Abort, from an empty stack. The SDK keeps the abort's error until the body of the response is collected, and the error
 * keeps the functions of its stack: with one that has the body, neither would ever be.
 */
function abortApart(abort: AbortController): void {
  queueMicrotask(() => abort.abort());
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

/** The event with its type, which some gateways send only beside it. */
const typed = (event: unknown, type: string): unknown =>
  type !== "" && typeof event === "object" && event !== null && !("type" in event) && !("error" in event)
    ? { ...event, type }
    : event;

/** Whether an event is an error: some gateways send one without its type. */
const isError = (event: unknown): boolean =>
  typeof event === "object" &&
  event !== null &&
  ("type" in event ? event.type === "error" : "error" in event);

/**
 * Returns the body of an event stream, or the event stream of a message that came whole. Rejects another response, such as an
 * HTML page: else it looks like a cut stream.
 */
async function bodyStream(
  { body, headers }: Response,
  { baseURL }: ErrorFacts,
  maxChars: number,
): Promise<ReadableStream<Uint8Array>> {
  const type = headers.get("content-type") ?? "text/event-stream";
  if (body !== null && type.includes("text/event-stream")) return body;
  const text = body === null ? undefined : await textOf(body, maxChars);
  const whole = text === undefined ? undefined : streamOfMessage(text);
  if (whole !== undefined) return whole;
  const words = wordsIn(text);
  throw new ModelError(
    "bad_stream",
    `Expected text/event-stream from ${baseURL}, received ${text === undefined ? "no body" : type}${words === undefined ? "" : `: ${words}`}. Check that the base URL has a Messages API.`,
    { retryable: false },
  );
}
