import { google } from "../../../adapters/providers/google.ts";
import { openai } from "../../../adapters/providers/openai.ts";
import { openAICompatible } from "../../../adapters/providers/openai-compatible.ts";
import type { ModelUnderTest } from "../../../testing/index.ts";
import { google as googleDialect } from "./google.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { overHttp, THOUGHT } from "./server.ts";

const apiKey = "test-key";
const all = { streamsArguments: true, returnedThought: THOUGHT };

/** The models of packages that are optional. */
export const providerModels: Readonly<Record<string, ModelUnderTest>> = {
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
