import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, test } from "vitest";
import { anthropic, languageModel, xmlTools } from "../../../adapters/index.ts";
import { type ModelUnderTest, modelConformance, type ReplyBlock } from "../../../testing/index.ts";
import { anthropicMessages } from "../../support/dialects/anthropic.ts";
import { openaiChat } from "../../support/dialects/openai-chat.ts";
import { type Dialect, overHttp, THOUGHT } from "../../support/dialects/server.ts";

/** A dialect whose calls are markup in texts. */
const inXml = ({ frames, error }: Dialect): Dialect => ({
  frames: ({ end, blocks, ...reply }) =>
    frames({ ...reply, blocks: blocks.map(asText), end: end === "calls" ? "stop" : end }),
  error,
});

function asText(block: ReplyBlock): ReplyBlock {
  if (block.type !== "call") return block;
  const values = Object.entries<unknown>(JSON.parse(block.chunks.join("")));
  const lines = values.map(([name, value]) => `<${name}>${String(value)}</${name}>\n`);
  return { type: "text", chunks: [`<${block.name}>\n`, ...lines, `</${block.name}>`] };
}

const apiKey = "test-key";
/** Arguments that the suite cuts are JSON: `parser.test.ts` cuts markup. */
const streamsArguments = false;

const models: Readonly<Record<string, ModelUnderTest>> = {
  "anthropic()": overHttp(
    inXml(anthropicMessages),
    (baseURL) => xmlTools(anthropic({ model: "claude-sonnet-4-6", baseURL, apiKey })),
    { streamsArguments, returnedThought: THOUGHT },
  ),
  "@ai-sdk/openai-compatible": overHttp(
    inXml(openaiChat),
    (baseURL) =>
      xmlTools(
        languageModel(
          createOpenAICompatible({ name: "local", baseURL, apiKey, includeUsage: true })("gemma3"),
        ),
      ),
    { streamsArguments, returnedThought: "Let me think." },
  ),
};

describe.each(Object.entries(models))("XML tools over a model of %s", (_, under) => {
  for (const { title, run } of modelConformance(under)) test(title, run);
});
