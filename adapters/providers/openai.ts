import type { ChatModel } from "../../ports/model.ts";
import { rethrow } from "./optional-package.ts";
import type { ReasoningModelOptions } from "./options.ts";
import { type ProviderPackage, providerModel } from "./provider-model.ts";

const PACKAGE: ProviderPackage = {
  name: "@ai-sdk/openai",
  range: "3",
  load: async () => {
    const { createOpenAI } = await import("@ai-sdk/openai").catch(rethrow);
    return (connection, model) => createOpenAI(connection)(model);
  },
};

/**
 * A model of OpenAI behind the Responses API. Nothing is stored there: reasoning comes encrypted, and goes back with the
 * conversation. Needs the package `@ai-sdk/openai`. The key is in OPENAI_API_KEY, the base URL in
 * OPENAI_BASE_URL.
 *
 * Failures are `ModelError`s with the codes of `anthropic()`, and `missing_package`.
 *
 * @example
 * ```ts
 * import { openai } from "signalbox/adapters";
 * const model = openai({ model: "gpt-5", effort: "low" });
 * ```
 */
export function openai({ effort, ...options }: ReasoningModelOptions): ChatModel {
  return providerModel("openai", PACKAGE, options, {
    openai: { store: false, ...(effort !== undefined && { reasoningEffort: effort }) },
  });
}
