import { type ModelError, streamCut } from "../../actors/llm/model-error.ts";
import { startWatchdog } from "../../actors/llm/watchdog.ts";
import { systemClock } from "../../actors/protocol/edge.ts";
import { unlessAborted } from "../../actors/protocol/unless-aborted.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ChatModel, ModelEvent, ModelRequest } from "../../ports/model.ts";
import { byRequest } from "../endpoint-failure.ts";
import type { Price } from "../models/price.ts";
import type { Sampling } from "../models/sampling.ts";
import { modelErrorOf } from "./errors.ts";
import type { LanguageModel, ProviderOptions } from "./language-model.ts";
import { isJson } from "./metadata.ts";
import { PartDecoder } from "./part-decoder.ts";
import { promptOf, promptTool, V3, V4 } from "./prompt.ts";

export interface LanguageModelOptions extends Sampling {
  /** Tokens that a request and its response may have together. Default: unknown. */
  readonly contextWindow?: number | undefined;
  /** Default: costs are unknown. */
  readonly price?: Price | undefined;
  /** Tokens of a response. Default: the provider's maximum. */
  readonly maxTokens?: number | undefined;
  /** Options of the provider, such as `{ openai: { reasoningEffort: "high" } }`. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** Base URL of the endpoint, without credentials: part of a task's record. */
  readonly endpoint?: string | undefined;
  /** Longest time without a part of the stream, in milliseconds. Default 120,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Most characters of parts that wait for the end of a tool call (L14). Default 16,000,000. */
  readonly waitingMaxChars?: number | undefined;
  readonly clock?: Clock | undefined;
}

const IDLE_TIMEOUT_MS = 120_000;
const WAITING_MAX_CHARS = 16_000_000;

/**
 * A language model of the AI SDK as the model of a task: a model of any package that implements `LanguageModelV3` or
 * `LanguageModelV4`. The package `ai` is not needed. The metadata of a block, such as the signature of its reasoning, goes
 * back with the block. Images of a tool result are sent after it, as the user's.
 *
 * Failures are `ModelError`s with the codes of `anthropic()`.
 *
 * @example
 * ```ts
 * import { createOpenAI } from "@ai-sdk/openai";
 * import { languageModel } from "signalbox/adapters";
 * const chat = createOpenAI({ baseURL: "https://llm.example.com/v1" }).chat("gpt-4.1");
 * const model = languageModel(chat, { contextWindow: 1_047_576 });
 * ```
 */
export function languageModel(model: LanguageModel, options: LanguageModelOptions = {}): ChatModel {
  const { contextWindow, endpoint } = options;
  return {
    id: model.modelId,
    provider: model.provider,
    contextWindow,
    endpoint,
    stream: (request, signal) => stream(model, options, request, signal),
  };
}

async function* stream(
  model: LanguageModel,
  options: LanguageModelOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { clock = systemClock, idleTimeoutMs = IDLE_TIMEOUT_MS, price } = options;
  const decoder = new PartDecoder(price, options.waitingMaxChars ?? WAITING_MAX_CHARS);
  const abort = new AbortController();
  let idle: ModelError | undefined;
  let reader: ReadableStreamDefaultReader<unknown> | undefined;
  const stop = (error?: ModelError): void => {
    idle = error;
    abort.abort();
    // A provider may ignore its signal.
    reader?.cancel().catch(() => {});
  };
  const onAbort = (): void => stop();
  signal.addEventListener("abort", onAbort, { once: true });
  const stopWatchdog = startWatchdog({ clock, idleTimeoutMs, count: () => decoder.count, onIdle: stop });
  try {
    if (signal.aborted) return;
    const begin = () => start(model, options, request, abort.signal);
    reader = (await unlessAborted(abort.signal, begin)).stream.getReader();
    for await (const part of partsOf(reader)) {
      for (const event of decoder.decode(part)) {
        if (signal.aborted) return;
        yield event;
      }
      if (decoder.done) return;
    }
    if (!signal.aborted) throw idle ?? streamCut("the stream ended");
  } catch (error) {
    if (!signal.aborted) throw idle ?? byRequest(modelErrorOf(error, clock), request, options.contextWindow);
  } finally {
    stopWatchdog();
    signal.removeEventListener("abort", onAbort);
    stop();
  }
}

/** The parts of a stream. @throws the error in one */
async function* partsOf(reader: ReadableStreamDefaultReader<unknown>): AsyncGenerator<unknown> {
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    if (isJson(chunk.value) && chunk.value.type === "error") throw chunk.value.error;
    yield chunk.value;
  }
}

function start(
  model: LanguageModel,
  { maxTokens, temperature, topP, providerOptions }: LanguageModelOptions,
  request: ModelRequest,
  abortSignal: AbortSignal,
): ReturnType<LanguageModel["doStream"]> {
  const common = {
    ...(request.tools.length > 0 && { tools: request.tools.map(promptTool) }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(providerOptions !== undefined && { providerOptions }),
    // To see that each piece of arguments reached a call.
    includeRawChunks: true,
    abortSignal,
  };
  return model.specificationVersion === "v3"
    ? model.doStream({ ...common, prompt: promptOf(request, V3) })
    : model.doStream({ ...common, prompt: promptOf(request, V4) });
}
