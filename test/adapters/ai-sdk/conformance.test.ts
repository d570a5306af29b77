import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { describe, test } from "vitest";
import { anthropic, google, languageModel, openAICompatible, openai } from "../../../adapters/index.ts";
import { type ModelUnderTest, modelConformance } from "../../../testing/index.ts";
import { anthropicMessages } from "../../support/dialects/anthropic.ts";
import { google as googleDialect } from "../../support/dialects/google.ts";
import { openaiChat } from "../../support/dialects/openai-chat.ts";
import { openaiResponses } from "../../support/dialects/openai-responses.ts";
import { overHttp, THOUGHT } from "../../support/dialects/server.ts";

const apiKey = "test-key";
const all = { streamsArguments: true, returnedThought: THOUGHT };

const models: Readonly<Record<string, ModelUnderTest>> = {
  "anthropic()": overHttp(
    anthropicMessages,
    (baseURL) => anthropic({ model: "claude-sonnet-4-6", baseURL, apiKey }),
    all,
  ),
  "@ai-sdk/anthropic": overHttp(
    anthropicMessages,
    (url) => languageModel(createAnthropic({ baseURL: `${url}/v1`, apiKey })("claude-sonnet-4-6")),
    all,
  ),
  "@ai-sdk/openai (Chat Completions)": overHttp(
    openaiChat,
    (baseURL) => languageModel(createOpenAI({ baseURL, apiKey }).chat("gpt-4.1")),
    { ...all, returnedThought: undefined },
  ),
  "openai()": overHttp(openaiResponses, (baseURL) => openai({ model: "gpt-5", baseURL, apiKey }), all),
  "openAICompatible()": overHttp(
    openaiChat,
    (baseURL) => openAICompatible({ model: "qwen3-coder", baseURL, apiKey }),
    { ...all, returnedThought: "Let me think." },
  ),
  "google()": overHttp(googleDialect, (baseURL) => google({ model: "gemini-2.5-pro", baseURL, apiKey }), {
    ...all,
    streamsArguments: false,
  }),
};

describe.each(Object.entries(models))("a model of %s", (_, under) => {
  for (const { title, run } of modelConformance(under)) test(title, run);
});
