import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, test } from "vitest";
import { anthropic, languageModel } from "../../../adapters/index.ts";
import { type ModelUnderTest, modelConformance } from "../../../testing/index.ts";
import { anthropicMessages } from "../../support/dialects/anthropic.ts";
import { google } from "../../support/dialects/google.ts";
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
  "@ai-sdk/openai (Responses)": overHttp(
    openaiResponses,
    (baseURL) =>
      languageModel(createOpenAI({ baseURL, apiKey })("gpt-5"), {
        providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
      }),
    all,
  ),
  "@ai-sdk/openai (Chat Completions)": overHttp(
    openaiChat,
    (baseURL) => languageModel(createOpenAI({ baseURL, apiKey }).chat("gpt-4.1")),
    { ...all, returnedThought: undefined },
  ),
  "@ai-sdk/openai-compatible": overHttp(
    openaiChat,
    (baseURL) =>
      languageModel(
        createOpenAICompatible({ name: "local", baseURL, apiKey, includeUsage: true })("qwen3-coder"),
      ),
    { ...all, returnedThought: "Let me think." },
  ),
  "@ai-sdk/google": overHttp(
    google,
    (baseURL) => languageModel(createGoogleGenerativeAI({ baseURL, apiKey })("gemini-2.5-pro")),
    { ...all, streamsArguments: false },
  ),
};

describe.each(Object.entries(models))("a model of %s", (_, under) => {
  for (const { title, run } of modelConformance(under)) test(title, run);
});
