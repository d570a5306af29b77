import type { ModelTable } from "./facts.ts";
import type { Price } from "./price.ts";

/** A cache write for five minutes costs 1.25 times an input token, a cache read a tenth. */
const claude = (input: number, output: number): { readonly price: Price } => ({
  price: { input, output, cacheWrite: input * 1.25, cacheRead: input / 10 },
});

/** A provider that caches by itself: a cache write costs what an input token does. */
const cached = (input: number, cacheRead: number, output: number): Price => ({
  input,
  output,
  cacheWrite: input,
  cacheRead,
});

/** Providers of models, as the command line and settings name them. */
export const PROVIDER_NAMES = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

const GPT_5 = { contextWindow: 400_000, maxTokens: 128_000 };
const GPT_4_1 = { contextWindow: 1_047_576, maxTokens: 32_768 };
const GPT_4O = { contextWindow: 128_000, maxTokens: 16_384 };
const O_SERIES = { contextWindow: 200_000, maxTokens: 100_000 };
const GEMINI_2_5 = { contextWindow: 1_048_576, maxTokens: 65_536 };

/**
 * Context windows in tokens, longest responses in tokens, and list prices in US dollars per million tokens, by provider.
 * They are as of November 2025, and change: settings and options take precedence. Where providers publish them:
 *
 * - anthropic: docs.anthropic.com/en/docs/about-claude/pricing
 * - openai (standard tier): platform.openai.com/docs/pricing and /docs/models
 * - google (paid tier): ai.google.dev/gemini-api/docs/pricing and /docs/models
 */
export const MODELS: Readonly<Record<ProviderName, ModelTable>> = {
  anthropic: {
    "claude-*": { contextWindow: 200_000 },
    "claude-opus-4*": claude(5, 25),
    "claude-opus-4-5": { maxTokens: 64_000 },
    "claude-opus-4-0*": claude(15, 75),
    "claude-opus-4-1*": claude(15, 75),
    "claude-opus-4-20250514": claude(15, 75),
    "claude-4-opus*": claude(15, 75),
    "claude-sonnet-4*": claude(3, 15),
    "claude-sonnet-4-5": { maxTokens: 64_000 },
    "claude-sonnet-4-6": { maxTokens: 64_000 },
    "claude-4-sonnet*": claude(3, 15),
    "claude-haiku-4*": claude(1, 5),
    "claude-haiku-4-5": { maxTokens: 64_000 },
    "claude-3-7-sonnet*": claude(3, 15),
    "claude-3-5-sonnet*": claude(3, 15),
    "claude-3-5-haiku*": claude(0.8, 4),
    "claude-3-opus*": claude(15, 75),
    "claude-3-sonnet*": claude(3, 15),
    "claude-3-haiku*": { price: { input: 0.25, output: 1.25, cacheWrite: 0.3, cacheRead: 0.03 } },
  },
  openai: {
    "gpt-5": { ...GPT_5, price: cached(1.25, 0.125, 10) },
    "gpt-5-mini": { ...GPT_5, price: cached(0.25, 0.025, 2) },
    "gpt-5-nano": { ...GPT_5, price: cached(0.05, 0.005, 0.4) },
    "gpt-5.1": { ...GPT_5, price: cached(1.25, 0.125, 10) },
    "gpt-4.1": { ...GPT_4_1, price: cached(2, 0.5, 8) },
    "gpt-4.1-mini": { ...GPT_4_1, price: cached(0.4, 0.1, 1.6) },
    "gpt-4.1-nano": { ...GPT_4_1, price: cached(0.1, 0.025, 0.4) },
    "gpt-4o": { ...GPT_4O, price: cached(2.5, 1.25, 10) },
    "gpt-4o-2024-05-13": { ...GPT_4O, maxTokens: 4_096, price: cached(5, 5, 15) },
    "gpt-4o-mini": { ...GPT_4O, price: cached(0.15, 0.075, 0.6) },
    o3: { ...O_SERIES, price: cached(2, 0.5, 8) },
    "o4-mini": { ...O_SERIES, price: cached(1.1, 0.275, 4.4) },
  },
  google: {
    "gemini-2.5-pro": {
      ...GEMINI_2_5,
      price: { ...cached(1.25, 0.125, 10), long: { above: 200_000, ...cached(2.5, 0.25, 15) } },
    },
    "gemini-2.5-flash": { ...GEMINI_2_5, price: cached(0.3, 0.03, 2.5) },
    "gemini-2.5-flash-lite": { ...GEMINI_2_5, price: cached(0.1, 0.01, 0.4) },
  },
  /** Whatever its endpoint serves: nothing is known. */
  "openai-compatible": {},
};
