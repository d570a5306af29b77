import { inspect } from "node:util";
import { ModelError } from "../../actors/llm/model-error.ts";
import type { ChatModel, ModelEvent, ModelRequest } from "../../ports/model.ts";
import { proxiedFetch } from "../../tools/web/proxy.ts";
import type { LanguageModel, ProviderOptions } from "../ai-sdk/language-model.ts";
import { languageModel } from "../ai-sdk/model.ts";
import { adviceOn } from "../endpoint-failure.ts";
import { withErrors } from "../endpoint-words.ts";
import { factsOf, pricesByPrefix } from "../models/facts.ts";
import { PROVIDERS } from "../models/provider.ts";
import { MODELS, type ProviderName } from "../models/table.ts";
import { publicUrl } from "../public-url.ts";
import { type OptionalPackage, packageOf } from "./optional-package.ts";
import type { ProviderModelOptions } from "./options.ts";

/** Where requests go, and what they carry, in the terms of the packages. */
export interface Connection {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Record<string, string>;
  readonly fetch: typeof fetch;
}

/** A provider's package, as a function that makes a model. */
export type ProviderPackage = OptionalPackage<(connection: Connection, model: string) => LanguageModel>;

/**
 * A model of a provider whose package is loaded for the first request: other models do without it. The key and the base URL
 * are read for each request.
 */
export function providerModel(
  provider: ProviderName,
  from: ProviderPackage,
  options: ProviderModelOptions,
  defaults: ProviderOptions = {},
): ChatModel {
  const { model: id, maxTokens, temperature, topP } = options;
  const { prices, providerOptions = {}, idleTimeoutMs, clock } = options;
  const facts = factsOf(id, MODELS[provider], pricesByPrefix(prices));
  const contextWindow = options.contextWindow ?? facts.contextWindow;
  const settings = {
    ...{ contextWindow, price: facts.price, maxTokens, temperature, topP, idleTimeoutMs, clock },
    providerOptions: withDefaults(providerOptions, defaults),
  };
  return {
    id,
    provider,
    contextWindow,
    get endpoint() {
      return publicUrl(baseUrlOf(provider, options) ?? "");
    },
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const apiKey = keyOf(provider, options);
      try {
        const create = await packageOf(from);
        const model = create(connectionOf(provider, options, apiKey), id);
        yield* languageModel(model, settings).stream(request, signal);
      } catch (error) {
        throw error instanceof ModelError ? explained(error, provider, options, apiKey) : error;
      }
    },
  };
}

/** The options of each package, with the defaults of those that are absent. */
function withDefaults(given: ProviderOptions, defaults: ProviderOptions): ProviderOptions {
  const names = Object.keys({ ...defaults, ...given });
  return Object.fromEntries(names.map((name) => [name, { ...defaults[name], ...given[name] }]));
}

function connectionOf(
  provider: ProviderName,
  options: ProviderModelOptions,
  apiKey: string | undefined,
): Connection {
  const baseURL = baseUrlOf(provider, options);
  if (baseURL === undefined)
    throw new ModelError(
      "no_endpoint",
      "Expected the option baseURL, such as http://127.0.0.1:11434/v1: no endpoint is known.",
      { retryable: false },
    );
  const { headers, fetch = proxiedFetch } = options;
  return {
    baseURL,
    ...(apiKey !== undefined && { apiKey }),
    ...(headers !== undefined && { headers: { ...headers } }),
    fetch: withErrors(fetch),
  };
}

function baseUrlOf(provider: ProviderName, { baseURL }: ProviderModelOptions): string | undefined {
  const { urlVariable = "", publicApi } = PROVIDERS[provider];
  return baseURL || process.env[urlVariable] || publicApi;
}

/** @throws ModelError `no_api_key`, if the provider needs one */
function keyOf(provider: ProviderName, { apiKey }: ProviderModelOptions): string | undefined {
  const { keyVariables } = PROVIDERS[provider];
  const key = apiKey || keyVariables.map((name) => process.env[name]).find((value) => value);
  if (key || keyVariables.length === 0) return key;
  throw new ModelError("no_api_key", `No API key: set ${standardSource(provider)}.`, { retryable: false });
}

const standardSource = (provider: ProviderName): string =>
  [...PROVIDERS[provider].keyVariables, "the apiKey option"].join(", or ");

/** A failure with what to do. An endpoint, or what makes its headers, may repeat the key. */
function explained(
  error: ModelError,
  provider: ProviderName,
  { model, keySource = standardSource(provider) }: ProviderModelOptions,
  apiKey: string | undefined,
): ModelError {
  const { code, status, retryAfterMs, retryable, cause } = error;
  const has = (text: string): boolean => apiKey !== undefined && text.includes(apiKey);
  const message = has(error.message) ? error.message.replaceAll(String(apiKey), "***") : error.message;
  return new ModelError(code, `${message}${adviceOn(code, { model, keySource })}`, {
    retryable,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(!has(inspect(cause, { depth: CAUSE_DEPTH })) && { cause }),
  });
}

/** Levels of a cause in which a key is looked for. */
const CAUSE_DEPTH = 10;
