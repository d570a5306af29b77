import type Anthropic from "@anthropic-ai/sdk";
import { ModelError } from "../../actors/llm/model-error.ts";
import { systemClock } from "../../actors/protocol/edge.ts";
import { proxiedFetch } from "../../tools/web/proxy.ts";
import { withErrors } from "../endpoint-words.ts";
import { PUBLIC_API } from "../models/provider.ts";
import { publicUrl } from "../public-url.ts";
import type { ErrorFacts } from "./errors.ts";
import type { AnthropicOptions } from "./options.ts";
import { betasOf } from "./thinking.ts";

export interface Connection {
  readonly client: Anthropic;
  readonly facts: ErrorFacts;
}

/** Returns a function that connects with the current key and URL. @throws ModelError `no_api_key` */
export function connectorOf(options: AnthropicOptions): () => Promise<Connection> {
  const getClient = clientOf(options);
  const { model, keySource = "ANTHROPIC_API_KEY, or the apiKey option", clock = systemClock } = options;
  return async () => {
    // Loaded for the first request: it is the largest dependency, and other models do without it.
    const { default: sdk } = await import("@anthropic-ai/sdk");
    const client = getClient(sdk);
    const secret = client.apiKey ?? client.authToken ?? "";
    return { client, facts: { sdk, baseURL: client.baseURL, model, keySource, clock, secret } };
  };
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

/** The base URL as a task records it. */
export function endpointOf(options: AnthropicOptions): string | undefined {
  return publicUrl(baseUrlOf(options) ?? PUBLIC_API);
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
    defaultHeaders: headersOf(options),
    fetch: withErrors(options.fetch ?? proxiedFetch),
  });
}

function headersOf({ headers, thinking }: AnthropicOptions): Headers {
  const all = new Headers(headers);
  for (const beta of betasOf(thinking)) all.append("anthropic-beta", beta);
  return all;
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
    "No API key: set ANTHROPIC_API_KEY, or the apiKey option.\nTo try without a key, start `signalbox mock`, set ANTHROPIC_BASE_URL or the baseURL option to its address, and use any key.",
    { retryable: false },
  );
}
