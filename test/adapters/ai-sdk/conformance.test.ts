import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { describe, test } from "vitest";
import { anthropic, languageModel } from "../../../adapters/index.ts";
import { type ModelUnderTest, modelConformance } from "../../../testing/index.ts";
import { anthropicMessages } from "../../support/dialects/anthropic.ts";
import { openaiChat } from "../../support/dialects/openai-chat.ts";
import { providerModels } from "../../support/dialects/provider-models.ts";
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
  ...providerModels,
};

describe.each(Object.entries(models))("a model of %s", (_, under) => {
  for (const { title, run } of modelConformance(under)) test(title, run);
});
