import type { ChatModel } from "../../ports/model.ts";
import { rethrow } from "./optional-package.ts";
import type { ReasoningModelOptions } from "./options.ts";
import { type ProviderPackage, providerModel } from "./provider-model.ts";

/** The name under which the package knows its options. */
const OPTIONS = "openaiCompatible";

const PACKAGE: ProviderPackage = {
  name: "@ai-sdk/openai-compatible",
  range: "2",
  load: async () => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible").catch(rethrow);
    return (connection, model) =>
      createOpenAICompatible({ ...connection, name: OPTIONS, includeUsage: true })(model);
  },
};

/**
 * A model behind any endpoint of Chat Completions: Ollama, vLLM, LM Studio, OpenRouter. Needs the package
 * `@ai-sdk/openai-compatible`, and `baseURL`. A key is sent only where one is given.
 *
 * Failures are `ModelError`s with the codes of `anthropic()`, and `missing_package` and `no_endpoint`.
 *
 * @example
 * ```ts
 * import { openAICompatible } from "signalbox/adapters";
 * const baseURL = "http://127.0.0.1:11434/v1";
 * const model = openAICompatible({ model: "qwen3-coder", baseURL, contextWindow: 32_768 });
 * ```
 */
export function openAICompatible({ effort, ...options }: ReasoningModelOptions): ChatModel {
  return providerModel("openai-compatible", PACKAGE, options, {
    [OPTIONS]: { ...(effort !== undefined && { reasoningEffort: effort }) },
  });
}
