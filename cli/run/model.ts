import { ModelError } from "../../actors/llm/model-error.ts";
import { anthropic } from "../../adapters/anthropic/model.ts";
import { factsOf } from "../../adapters/models/facts.ts";
import { MODELS, type ProviderName } from "../../adapters/models/table.ts";
import { google } from "../../adapters/providers/google.ts";
import { openai } from "../../adapters/providers/openai.ts";
import { openAICompatible } from "../../adapters/providers/openai-compatible.ts";
import type { ChatModel } from "../../ports/model.ts";
import type { Connection, ModelSettings } from "./settings.ts";

/** A model of a provider, with what the settings say about it. */
export function openModel(
  provider: ProviderName,
  model: string,
  connection: Connection,
  { effort, tables }: Pick<ModelSettings, "effort" | "tables">,
): ChatModel {
  const mine = tables[provider];
  const { contextWindow, price } = factsOf(model, MODELS[provider], mine);
  const { maxTokens, temperature, topP } = factsOf(model, mine);
  const prices = price === undefined ? {} : { [model]: price };
  const options = { ...connection, model, contextWindow, maxTokens, temperature, topP, prices };
  switch (provider) {
    case "anthropic":
      return anthropic({ ...options, effort });
    case "openai":
      return openai({ ...options, effort });
    case "openai-compatible":
      return openAICompatible({ ...options, effort });
    case "google":
      return google(options);
  }
}

/** A model whose requests fail with the reason why there is no key for it. */
export function keyless({ id, provider, endpoint, contextWindow }: ChatModel, problem: string): ChatModel {
  return {
    id,
    ...(provider !== undefined && { provider }),
    endpoint,
    contextWindow,
    // biome-ignore lint/correctness/useYield: it fails before its first event.
    async *stream() {
      throw new ModelError("no_api_key", problem, { retryable: false });
    },
  };
}
