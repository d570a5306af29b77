import type { Clock } from "../../ports/clock.ts";
import type { ProviderOptions } from "../ai-sdk/language-model.ts";
import type { PriceTable } from "../models/price.ts";
import type { Sampling } from "../models/sampling.ts";

/** Options that the models of all providers have. */
export interface ProviderModelOptions extends Sampling {
  /** The model's name, as the endpoint knows it. */
  readonly model: string;
  /** Default: the provider's variable of the environment, read for each request. It is in no error and no journal. */
  readonly apiKey?: string | undefined;
  /** The name of the setting that a message about a wrong key shows. Default: the provider's variable, or the option `apiKey`. */
  readonly keySource?: string | undefined;
  /** The endpoint. Default: the provider's variable of the environment, or its public API. */
  readonly baseURL?: string | undefined;
  /** More headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Tokens of a request and its response together. Default: the window in {@link MODELS}, or unknown. */
  readonly contextWindow?: number | undefined;
  /** The longest response, in tokens. Default: the endpoint's maximum. */
  readonly maxTokens?: number | undefined;
  /** Prices by the beginning of a model's name; they go before {@link MODELS}. Without a price, costs are unknown. */
  readonly prices?: PriceTable | undefined;
  /** Options of the provider's package, such as `{ google: { thinkingConfig: { includeThoughts: true } } }`. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** The longest silence of the endpoint, in milliseconds. Default 120,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Default: `fetch`, through the proxy of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** Options of the models that know levels of reasoning. */
export interface ReasoningModelOptions extends ProviderModelOptions {
  /** Reasoning effort, as the model knows it, such as `low` or `high`. Default: the model's own. */
  readonly effort?: string | undefined;
}
