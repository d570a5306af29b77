import type { Clock } from "../../ports/clock.ts";
import type { PriceTable } from "../models/price.ts";
import type { Sampling } from "../models/sampling.ts";
import type { CacheTtl } from "./cache.ts";
import type { Effort } from "./request.ts";
import type { Thinking } from "./thinking.ts";
import type { ServerTool, ToolOptions } from "./tools.ts";

/** Default of `idleTimeoutMs`, in milliseconds. */
export const IDLE_TIMEOUT_MS = 120_000;

/** Options of `anthropic`. */
export interface AnthropicOptions extends Sampling {
  /** The model id of the API. */
  readonly model: string;
  /** The key. Default: `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** A bearer token in place of a key. Default: `ANTHROPIC_AUTH_TOKEN`. */
  readonly authToken?: string | undefined;
  /** The name of the setting that a message about a wrong key shows. Default: `ANTHROPIC_API_KEY, or the apiKey option`. */
  readonly keySource?: string | undefined;
  /** The endpoint of the Messages API. Default: `ANTHROPIC_BASE_URL`, or the public API. */
  readonly baseURL?: string | undefined;
  /** The longest response, thinking included, in tokens. Default 16,384, beside the thinking budget. */
  readonly maxTokens?: number | undefined;
  /**
   * Tokens of a request and its response together, which decide when it is condensed (docs/guide/context.md). Default:
   * 200,000 for `claude-*`, unknown for others.
   */
  readonly contextWindow?: number | undefined;
  /** How the model thinks before a response (docs/guide/model-options.md). */
  readonly thinking?: Thinking | undefined;
  /** How much work the model puts into a response, where it knows such levels: `low` to `max`. Default: its own. */
  readonly effort?: Effort | undefined;
  /** How long the endpoint keeps what it caches. Default `5m`; a write for `1h` costs more. */
  readonly cacheTtl?: CacheTtl | undefined;
  /** How the endpoint handles the tools of a task (docs/guide/model-options.md). */
  readonly tools?: ToolOptions | undefined;
  /** Tools that the endpoint runs, such as web search; they go before the tools of a task. */
  readonly serverTools?: readonly ServerTool[] | undefined;
  /** Prices by the beginning of a model's name, which take precedence over the built-in ones. */
  readonly prices?: PriceTable | undefined;
  /** More headers for each request. An `anthropic-beta` is sent beside those that the options need. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The longest silence of the endpoint, in milliseconds; pings do not count. Default 120,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** The longest event of a response, or block that is not interpreted, in characters (L14). Default 16 million. */
  readonly eventMaxChars?: number | undefined;
  /** Sends the requests. Default: `fetch`, through the proxy of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly fetch?: typeof fetch | undefined;
  /** The clock of timeouts; pass another one in tests. */
  readonly clock?: Clock | undefined;
}
