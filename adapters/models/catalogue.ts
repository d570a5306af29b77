import type { ModelTable } from "./facts.ts";

/** Written by `npm run docs:models` from the lists of @earendil-works/pi-ai 1.5.2 (MIT). */
export const CATALOGUE = {
  anthropic: {
    "claude-fable-5": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 1 },
    },
    "claude-fable-5-1": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 0.25 },
    },
    "claude-fable-5-2": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 8, output: 40, cacheWrite: 10, cacheRead: 0.2 },
    },
    "claude-haiku-4-5": {
      contextWindow: 200000,
      maxTokens: 64000,
      price: { input: 1, output: 5, cacheWrite: 1.25, cacheRead: 0.1 },
    },
    "claude-haiku-5-5": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: {
        input: 0.1,
        output: 0.5,
        cacheWrite: 0.125,
        cacheRead: 0.01,
        long: { above: 100000, input: 0.5, output: 2.5, cacheWrite: 0.625, cacheRead: 0.05 },
      },
    },
    "claude-opus-4-5": {
      contextWindow: 200000,
      maxTokens: 64000,
      price: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
    },
    "claude-opus-4-6": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
    },
    "claude-opus-4-7": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
    },
    "claude-opus-4-8": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
    },
    "claude-opus-5": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
    },
    "claude-opus-5-5": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 },
    },
    "claude-sonnet-4-5": {
      contextWindow: 200000,
      maxTokens: 64000,
      price: { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 },
    },
    "claude-sonnet-4-6": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 },
    },
    "claude-sonnet-5": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 },
    },
    "claude-sonnet-5-5": {
      contextWindow: 1000000,
      maxTokens: 128000,
      price: { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.1 },
    },
  },
  openai: {
    "chat-latest": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 5, output: 30, cacheWrite: 5, cacheRead: 0.5 },
    },
    "gpt-4": {
      contextWindow: 8192,
      maxTokens: 8192,
      price: { input: 30, output: 60, cacheWrite: 30, cacheRead: 30 },
    },
    "gpt-4-turbo": {
      contextWindow: 128000,
      maxTokens: 4096,
      price: { input: 10, output: 30, cacheWrite: 10, cacheRead: 10 },
    },
    "gpt-4.1": {
      contextWindow: 1047576,
      maxTokens: 32768,
      price: { input: 2, output: 8, cacheWrite: 2, cacheRead: 0.5 },
    },
    "gpt-4.1-mini": {
      contextWindow: 1047576,
      maxTokens: 32768,
      price: { input: 0.4, output: 1.6, cacheWrite: 0.4, cacheRead: 0.1 },
    },
    "gpt-4.1-nano": {
      contextWindow: 1047576,
      maxTokens: 32768,
      price: { input: 0.1, output: 0.4, cacheWrite: 0.1, cacheRead: 0.025 },
    },
    "gpt-4o": {
      contextWindow: 128000,
      maxTokens: 16384,
      price: { input: 2.5, output: 10, cacheWrite: 2.5, cacheRead: 1.25 },
    },
    "gpt-4o-2024-05-13": {
      contextWindow: 128000,
      maxTokens: 4096,
      price: { input: 5, output: 15, cacheWrite: 5, cacheRead: 5 },
    },
    "gpt-4o-mini": {
      contextWindow: 128000,
      maxTokens: 16384,
      price: { input: 0.15, output: 0.6, cacheWrite: 0.15, cacheRead: 0.075 },
    },
    "gpt-5": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 1.25, output: 10, cacheWrite: 1.25, cacheRead: 0.125 },
    },
    "gpt-5-chat-latest": {
      contextWindow: 128000,
      maxTokens: 16384,
      price: { input: 1.25, output: 10, cacheWrite: 1.25, cacheRead: 0.125 },
    },
    "gpt-5-mini": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 0.25, output: 2, cacheWrite: 0.25, cacheRead: 0.025 },
    },
    "gpt-5-nano": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 0.05, output: 0.4, cacheWrite: 0.05, cacheRead: 0.005 },
    },
    "gpt-5-pro": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 15, output: 120, cacheWrite: 15, cacheRead: 15 },
    },
    "gpt-5.1": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 1.25, output: 10, cacheWrite: 1.25, cacheRead: 0.125 },
    },
    "gpt-5.2": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 1.75, output: 14, cacheWrite: 1.75, cacheRead: 0.175 },
    },
    "gpt-5.2-pro": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 21, output: 168, cacheWrite: 21, cacheRead: 21 },
    },
    "gpt-5.3-codex": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 1.75, output: 14, cacheWrite: 1.75, cacheRead: 0.175 },
    },
    "gpt-5.3-codex-spark": {
      contextWindow: 128000,
      maxTokens: 32000,
      price: { input: 1.75, output: 14, cacheWrite: 1.75, cacheRead: 0.175 },
    },
    "gpt-5.4": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 2.5,
        output: 15,
        cacheWrite: 2.5,
        cacheRead: 0.25,
        long: { above: 272000, input: 5, output: 22.5, cacheWrite: 5, cacheRead: 0.5 },
      },
    },
    "gpt-5.4-mini": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 0.75, output: 4.5, cacheWrite: 0.75, cacheRead: 0.075 },
    },
    "gpt-5.4-nano": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 0.2, output: 1.25, cacheWrite: 0.2, cacheRead: 0.02 },
    },
    "gpt-5.4-pro": {
      contextWindow: 1050000,
      maxTokens: 128000,
      price: {
        input: 30,
        output: 180,
        cacheWrite: 30,
        cacheRead: 30,
        long: { above: 272000, input: 60, output: 270, cacheWrite: 60, cacheRead: 60 },
      },
    },
    "gpt-5.5": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 5,
        output: 30,
        cacheWrite: 5,
        cacheRead: 0.5,
        long: { above: 272000, input: 10, output: 45, cacheWrite: 10, cacheRead: 1 },
      },
    },
    "gpt-5.5-pro": {
      contextWindow: 1050000,
      maxTokens: 128000,
      price: {
        input: 30,
        output: 180,
        cacheWrite: 30,
        cacheRead: 30,
        long: { above: 272000, input: 60, output: 270, cacheWrite: 60, cacheRead: 60 },
      },
    },
    "gpt-5.6-cyber": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 12.5, output: 75, cacheWrite: 15.625, cacheRead: 1.25 },
    },
    "gpt-5.6-luna": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 0.2,
        output: 1.2,
        cacheWrite: 0.25,
        cacheRead: 0.02,
        long: { above: 272000, input: 0.4, output: 1.8, cacheWrite: 0.5, cacheRead: 0.04 },
      },
    },
    "gpt-5.6-sol": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 4,
        output: 20,
        cacheWrite: 5,
        cacheRead: 0.4,
        long: { above: 272000, input: 8, output: 30, cacheWrite: 10, cacheRead: 0.8 },
      },
    },
    "gpt-5.6-terra": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 2,
        output: 12,
        cacheWrite: 2.5,
        cacheRead: 0.2,
        long: { above: 272000, input: 4, output: 18, cacheWrite: 5, cacheRead: 0.4 },
      },
    },
    "gpt-6-astra": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 10,
        output: 50,
        cacheWrite: 12.5,
        cacheRead: 1,
        long: { above: 272000, input: 20, output: 75, cacheWrite: 25, cacheRead: 2 },
      },
    },
    "gpt-6-luna": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 0.1,
        output: 0.5,
        cacheWrite: 0.125,
        cacheRead: 0.01,
        long: { above: 272000, input: 0.2, output: 0.75, cacheWrite: 0.25, cacheRead: 0.02 },
      },
    },
    "gpt-6-sol": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 2,
        output: 10,
        cacheWrite: 2.5,
        cacheRead: 0.2,
        long: { above: 272000, input: 4, output: 15, cacheWrite: 5, cacheRead: 0.4 },
      },
    },
    "gpt-6.1-sol": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 2,
        output: 10,
        cacheWrite: 2.5,
        cacheRead: 0.1,
        long: { above: 272000, input: 4, output: 15, cacheWrite: 5, cacheRead: 0.2 },
      },
    },
    "gpt-6.1-terra": {
      contextWindow: 272000,
      maxTokens: 128000,
      price: {
        input: 1,
        output: 5,
        cacheWrite: 1.25,
        cacheRead: 0.05,
        long: { above: 272000, input: 2, output: 7.5, cacheWrite: 2.5, cacheRead: 0.1 },
      },
    },
    "gpt-daybreak-blue-latest": {
      contextWindow: 1050000,
      maxTokens: 128000,
      price: {
        input: 4,
        output: 20,
        cacheWrite: 5,
        cacheRead: 0.4,
        long: { above: 272000, input: 8, output: 30, cacheWrite: 10, cacheRead: 0.8 },
      },
    },
    "gpt-daybreak-red-latest": {
      contextWindow: 400000,
      maxTokens: 128000,
      price: { input: 12.5, output: 75, cacheWrite: 15.625, cacheRead: 1.25 },
    },
    o1: {
      contextWindow: 200000,
      maxTokens: 100000,
      price: { input: 15, output: 60, cacheWrite: 15, cacheRead: 7.5 },
    },
    "o1-pro": {
      contextWindow: 200000,
      maxTokens: 100000,
      price: { input: 150, output: 600, cacheWrite: 150, cacheRead: 150 },
    },
    o3: {
      contextWindow: 200000,
      maxTokens: 100000,
      price: { input: 2, output: 8, cacheWrite: 2, cacheRead: 0.5 },
    },
    "o3-mini": {
      contextWindow: 200000,
      maxTokens: 100000,
      price: { input: 1.1, output: 4.4, cacheWrite: 1.1, cacheRead: 0.55 },
    },
    "o3-pro": {
      contextWindow: 200000,
      maxTokens: 100000,
      price: { input: 20, output: 80, cacheWrite: 20, cacheRead: 20 },
    },
    "o4-mini": {
      contextWindow: 200000,
      maxTokens: 100000,
      price: { input: 1.1, output: 4.4, cacheWrite: 1.1, cacheRead: 0.275 },
    },
  },
  google: {
    "deep-research-max-preview-04-2026": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: {
        input: 2,
        output: 12,
        cacheWrite: 2,
        cacheRead: 0.2,
        long: { above: 200000, input: 4, output: 18, cacheWrite: 4, cacheRead: 0.4 },
      },
    },
    "deep-research-preview-04-2026": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: {
        input: 2,
        output: 12,
        cacheWrite: 2,
        cacheRead: 0.2,
        long: { above: 200000, input: 4, output: 18, cacheWrite: 4, cacheRead: 0.4 },
      },
    },
    "gemini-2.5-computer-use-preview-10-2025": {
      contextWindow: 128000,
      maxTokens: 64000,
      price: {
        input: 1.25,
        output: 10,
        cacheWrite: 1.25,
        cacheRead: 1.25,
        long: { above: 200000, input: 2.5, output: 15, cacheWrite: 2.5, cacheRead: 2.5 },
      },
    },
    "gemini-2.5-flash": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.3, output: 2.5, cacheWrite: 0.3, cacheRead: 0.03 },
    },
    "gemini-2.5-flash-lite": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.1, output: 0.4, cacheWrite: 0.1, cacheRead: 0.01 },
    },
    "gemini-2.5-pro": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: {
        input: 1.25,
        output: 10,
        cacheWrite: 1.25,
        cacheRead: 0.125,
        long: { above: 200000, input: 2.5, output: 15, cacheWrite: 2.5, cacheRead: 0.25 },
      },
    },
    "gemini-3-flash-preview": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.5, output: 3, cacheWrite: 0.5, cacheRead: 0.05 },
    },
    "gemini-3.1-flash-lite": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.25, output: 1.5, cacheWrite: 0.25, cacheRead: 0.025 },
    },
    "gemini-3.1-flash-lite-preview": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.25, output: 1.5, cacheWrite: 0.25, cacheRead: 0.025 },
    },
    "gemini-3.1-pro-preview": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: {
        input: 2,
        output: 12,
        cacheWrite: 2,
        cacheRead: 0.2,
        long: { above: 200000, input: 4, output: 18, cacheWrite: 4, cacheRead: 0.4 },
      },
    },
    "gemini-3.1-pro-preview-customtools": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: {
        input: 2,
        output: 12,
        cacheWrite: 2,
        cacheRead: 0.2,
        long: { above: 200000, input: 4, output: 18, cacheWrite: 4, cacheRead: 0.4 },
      },
    },
    "gemini-3.5-flash": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 1.5, output: 9, cacheWrite: 1.5, cacheRead: 0.15 },
    },
    "gemini-3.5-flash-lite": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.3, output: 2.5, cacheWrite: 0.3, cacheRead: 0.03 },
    },
    "gemini-3.6-flash": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.75, output: 3.75, cacheWrite: 0.75, cacheRead: 0.075 },
    },
    "gemini-3.7-flash": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.75, output: 3.75, cacheWrite: 0.75, cacheRead: 0.075 },
    },
    "gemini-3.8-flash": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.75, output: 3.75, cacheWrite: 0.75, cacheRead: 0.075 },
    },
    "gemini-4-argon": {
      contextWindow: 1048576,
      maxTokens: 32768,
      price: { input: 2, output: 10, cacheWrite: 2, cacheRead: 0.1 },
    },
    "gemini-flash-latest": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 1.5, output: 9, cacheWrite: 1.5, cacheRead: 0.15 },
    },
    "gemini-flash-lite-latest": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: { input: 0.25, output: 1.5, cacheWrite: 0.25, cacheRead: 0.025 },
    },
    "gemini-pro-latest": {
      contextWindow: 1048576,
      maxTokens: 65536,
      price: {
        input: 2,
        output: 12,
        cacheWrite: 2,
        cacheRead: 0.2,
        long: { above: 200000, input: 4, output: 18, cacheWrite: 4, cacheRead: 0.4 },
      },
    },
    "gemini-robotics-er-2-preview": {
      contextWindow: 131072,
      maxTokens: 65536,
      price: { input: 1, output: 5, cacheWrite: 1, cacheRead: 0.1 },
    },
    "gemma-4-26b-a4b-it": { contextWindow: 262144, maxTokens: 32768 },
    "gemma-4-31b-it": { contextWindow: 262144, maxTokens: 32768 },
  },
} satisfies Record<string, ModelTable>;
