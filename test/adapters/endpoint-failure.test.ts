import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ModelError } from "../../actors/llm/model-error.ts";
import { anthropic, google, openAICompatible, openai } from "../../adapters/index.ts";
import type { ChatModel, ModelRequest } from "../../ports/model.ts";
import { serve } from "../tools/builtin/web-server.ts";

const apiKey = "a-secret-0123456789";
const request = (text = "Hello"): ModelRequest => ({
  system: [],
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  tools: [],
});

async function errorOf(model: ChatModel, sent = request()): Promise<ModelError> {
  try {
    for await (const _ of model.stream(sent, new AbortController().signal));
  } catch (error) {
    return error as ModelError;
  }
  throw new Error("expected a failure");
}

/** An endpoint that fails each request in this way. */
async function endpointOf(status: number, body: string, type = "application/json"): Promise<string> {
  const server = await serve((_, response) => {
    response.writeHead(status, { "content-type": type }).end(body);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return `http://127.0.0.1:${server.port}`;
}

const models: Readonly<Record<string, (baseURL: string, contextWindow?: number) => ChatModel>> = {
  "anthropic()": (baseURL, contextWindow) => anthropic({ model: "m", baseURL, apiKey, contextWindow }),
  "openai()": (baseURL, contextWindow) => openai({ model: "m", baseURL, apiKey, contextWindow }),
  "google()": (baseURL, contextWindow) => google({ model: "m", baseURL, apiKey, contextWindow }),
  "openAICompatible()": (baseURL, contextWindow) =>
    openAICompatible({ model: "m", baseURL, apiKey, contextWindow }),
};

const WORDS = "The model is not loaded.";
const BODIES: readonly (readonly [string, string, string?])[] = [
  ["an error that is a text", JSON.stringify({ error: WORDS })],
  ["an error that is an object", JSON.stringify({ error: { message: WORDS, code: null } })],
  ["an error in an error", JSON.stringify({ error: { error: { message: WORDS } } })],
  ["a message", JSON.stringify({ message: WORDS })],
  ["a detail", JSON.stringify({ detail: WORDS })],
  ["a list of details", JSON.stringify({ detail: [{ loc: ["body", "model"], msg: WORDS }] })],
  ["a list of errors", JSON.stringify({ errors: [{ message: WORDS }] })],
  ["a list", JSON.stringify([{ error: { message: WORDS } }])],
  [
    "the words of a provider behind it",
    JSON.stringify({ error: { message: "Failed", metadata: { raw: WORDS } } }),
  ],
  ["JSON in a text", JSON.stringify({ error: JSON.stringify({ message: WORDS }) })],
  ["plain text", WORDS, "text/plain"],
  ["a page", `<!DOCTYPE html><html><style>p{}</style><h1>${WORDS}</h1></html>`, "text/html"],
];

describe.each(Object.entries(models))("a failed request of %s", (_, modelAt) => {
  test.each(BODIES)(
    "has the words of the endpoint in %s",
    async (_name, body = "", type = "application/json") => {
      const error = await errorOf(modelAt(await endpointOf(400, body, type)));
      expect(error).toMatchObject({ code: "invalid_request_error", status: 400, retryable: false });
      expect(error.message).toContain(WORDS);
      expect(error.message).not.toMatch(/[{}<>]/);
    },
  );

  test.each([
    [{ error: WORDS }, "invalid_request_error"],
    [{ error: { message: WORDS, code: 503 } }, "api_error"],
    [{ detail: WORDS }, "invalid_request_error"],
  ])("has the words of the endpoint in %j, which came with status 200", async (body, code) => {
    const error = await errorOf(modelAt(await endpointOf(200, JSON.stringify(body))));
    expect(error.code).toBe(code);
    expect(error.message).toContain(WORDS);
  });

  test("shows neither keys nor control characters of the words, and at most 2,000 characters", async () => {
    const words = `Wrong key ${apiKey}, sk-ant-0123456789, Bearer abcdefghijkl: \u001b[31mno\u001b[0m, \u0007\u0000${"x".repeat(5_000)}`;
    const error = await errorOf(modelAt(await endpointOf(400, JSON.stringify({ error: words }))));
    expect(error.message).toMatch(/Wrong key \*\*\*, sk-\*\*\*, Bearer \*\*\*: no, x+/);
    expect(error.message.length).toBeLessThan(2_200);
  });

  test("that reaches nobody says where and why", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const refused = await errorOf(modelAt(`http://127.0.0.1:${port}`));
    expect(refused).toMatchObject({ code: "connection_error", retryable: true });
    expect(refused.message).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
    expect((await errorOf(modelAt("http://model.invalid"))).message).toMatch(
      /ENOTFOUND model\.invalid|EAI_AGAIN/,
    );
    const tls = await serve((_request, response) => void response.end(), "https");
    onTestFinished(() => tls[Symbol.asyncDispose]());
    const untrusted = await errorOf(modelAt(`https://127.0.0.1:${tls.port}`));
    expect(untrusted.message).toMatch(/self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
  });

  test.each([400, 500])(
    "of status %i that is too long in the words of a vendor has one code",
    async (status) => {
      for (const message of TOO_LONG) {
        const error = await errorOf(
          modelAt(await endpointOf(status, JSON.stringify({ error: { message } }))),
        );
        expect({ message, code: error.code, retryable: error.retryable }).toEqual({
          message,
          code: "prompt_too_long",
          retryable: false,
        });
      }
    },
  );

  test("that is not too long has another code", async () => {
    for (const message of NOT_TOO_LONG) {
      const error = await errorOf(modelAt(await endpointOf(400, JSON.stringify({ error: { message } }))));
      expect({ message, code: error.code }).toEqual({ message, code: "invalid_request_error" });
    }
  });

  test("has a code of its own if its image is refused", async () => {
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "AAAA" },
    } as const;
    const withImage: ModelRequest = { ...request(), messages: [{ role: "user", content: [image] }] };
    for (const message of IMAGE_REFUSED) {
      const url = await endpointOf(400, JSON.stringify({ error: { message } }));
      const error = await errorOf(modelAt(url), withImage);
      expect(error).toMatchObject({ code: "image_refused", retryable: false, status: 400 });
      expect(error.message).toContain(message);
      expect((await errorOf(modelAt(url))).code).toBe("invalid_request_error");
    }
  });

  test("is too long if the endpoint rejects it in any words and it is near the window", async () => {
    const url = await endpointOf(400, JSON.stringify({ error: "Bad input." }));
    const long = request("word ".repeat(600));
    expect((await errorOf(modelAt(url, 1_100), long)).code).toBe("prompt_too_long");
    expect((await errorOf(modelAt(url, 1_100), long)).message).toContain("Bad input.");
    expect((await errorOf(modelAt(url, 2_000), long)).code).toBe("invalid_request_error");
    const broken = await endpointOf(500, JSON.stringify({ error: "Bad input." }));
    expect((await errorOf(modelAt(broken, 1_100), long)).code).toBe("api_error");
  });
});

const TOO_LONG = [
  // Anthropic
  "prompt is too long: 208310 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
  // OpenAI, Azure, OpenRouter, DeepSeek, vLLM
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens.",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
  "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  "Please reduce the length of the messages or completion.",
  // Google
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
  // Bedrock
  "Input is too long for requested model.",
  "Malformed input request: expected maxLength: 50000, actual: 60000, please reformat your input and try again.",
  // Mistral
  "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  // llama.cpp, LM Studio, Ollama, SGLang
  "Context size has been exceeded.",
  "the request exceeds the available context size, try increasing it",
  "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
  "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
  "The number of tokens to keep from the initial prompt is greater than the context length.",
  "Reached context length of 4096 tokens with model (arch: qwen3)",
  "the input length exceeds the context length",
  "prompt too long; exceeded max context length by 12 tokens",
  "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  // xAI, Moonshot, MiniMax, GLM, Cohere, GitHub, Hugging Face, DashScope
  "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
  "Invalid request: Your request exceeded model token limit: 131072",
  "invalid params, context window exceeds limit",
  "Prompt exceeds max length",
  "too many tokens: total number of tokens in the prompt exceeds the limit of 4081",
  "prompt token count of 70000 exceeds the limit of 64000",
  "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000",
  "Range of input length should be [1, 30720]",
];

const IMAGE_REFUSED = [
  "messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
  "messages.0.content.0: At least one of the image dimensions exceed max allowed size: 8000 pixels",
  "Could not process image",
  "You uploaded an unsupported image. Please make sure your image has of one the following formats.",
  "Invalid MIME type. Only image types are supported.",
  "No endpoints found that support image input",
  "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
  "Unable to process input image. Please retry or report.",
];

const NOT_TOO_LONG = [
  "messages: text content blocks must be non-empty",
  "max_tokens: 300000 > 64000, which is the maximum",
  "tools.0.name: String should have at most 128 characters",
  "Request too large for model in organization on tokens per minute (TPM): Limit 6000, Requested 9000",
  "Too many tokens, please wait before trying again.",
  "The tool name is too long",
  "image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
];

test.each([
  [401, "authentication_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
])("a failure of status %i keeps its code, whatever its words", async (status, code) => {
  for (const modelAt of Object.values(models)) {
    const url = await endpointOf(status, JSON.stringify({ error: { message: "prompt is too long" } }));
    expect(await errorOf(modelAt(url))).toMatchObject({ code });
  }
});
