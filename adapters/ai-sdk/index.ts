export type { JsonValue, LanguageModel, ProviderOptions } from "./language-model.ts";
export { type LanguageModelOptions, languageModel } from "./model.ts";
