import { CATALOGUE } from "./catalogue.ts";
import type { ModelTable } from "./facts.ts";
import type { Price } from "./price.ts";

/** A cache write for five minutes costs 1.25 times an input token, a cache read a tenth. */
const claude = (input: number, output: number): { readonly price: Price } => ({
  price: { input, output, cacheWrite: input * 1.25, cacheRead: input / 10 },
});

/** Providers of models, as the command line and settings name them. */
export const PROVIDER_NAMES = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Claude models that the catalogue does not list: earlier ones, and versions to come. */
const OTHER_CLAUDE: ModelTable = {
  "claude-*": { contextWindow: 200_000 },
  "claude-opus-4*": claude(5, 25),
  "claude-opus-4-0*": claude(15, 75),
  "claude-opus-4-1*": claude(15, 75),
  "claude-opus-4-20250514": claude(15, 75),
  "claude-4-opus*": claude(15, 75),
  "claude-sonnet-4*": claude(3, 15),
  "claude-4-sonnet*": claude(3, 15),
  "claude-haiku-4*": claude(1, 5),
  "claude-3-7-sonnet*": claude(3, 15),
  "claude-3-5-sonnet*": claude(3, 15),
  "claude-3-5-haiku*": claude(0.8, 4),
  "claude-3-opus*": claude(15, 75),
  "claude-3-sonnet*": claude(3, 15),
  "claude-3-haiku*": { price: { input: 0.25, output: 1.25, cacheWrite: 0.3, cacheRead: 0.03 } },
};

/**
 * Context windows in tokens, longest responses in tokens, and list prices in US dollars per million tokens, by provider.
 * They change: settings and options take precedence.
 */
export const MODELS: Readonly<Record<ProviderName, ModelTable>> = {
  anthropic: { ...OTHER_CLAUDE, ...CATALOGUE.anthropic },
  openai: CATALOGUE.openai,
  google: CATALOGUE.google,
  /** Whatever its endpoint serves: nothing is known. */
  "openai-compatible": {},
};
