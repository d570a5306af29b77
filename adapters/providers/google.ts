import type { ChatModel } from "../../ports/model.ts";
import { rethrow } from "./optional-package.ts";
import type { ProviderModelOptions } from "./options.ts";
import { type ProviderPackage, providerModel } from "./provider-model.ts";

const PACKAGE: ProviderPackage = {
  name: "@ai-sdk/google",
  range: "3",
  load: async () => {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google").catch(rethrow);
    return (connection, model) => createGoogleGenerativeAI(connection)(model);
  },
};

/**
 * A Gemini model behind Google's Generative Language API. Needs the package `@ai-sdk/google`. The key is in
 * GEMINI_API_KEY, or in GOOGLE_GENERATIVE_AI_API_KEY.
 *
 * Failures are `ModelError`s with the codes of `anthropic()`, and `missing_package`.
 *
 * @example
 * ```ts
 * import { google } from "signalbox/adapters";
 * const model = google({ model: "gemini-2.5-pro" });
 * ```
 */
export const google = (options: ProviderModelOptions): ChatModel => providerModel("google", PACKAGE, options);
