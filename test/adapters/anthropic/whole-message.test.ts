import { describe, expect, test } from "vitest";
import { anthropic } from "../../../adapters/anthropic/model.ts";
import type { AnthropicOptions } from "../../../adapters/anthropic/options.ts";
import { attempt, last, wordsOf } from "../../actors/llm/attempt.ts";

const JSON_TYPE = { "content-type": "application/json" };
const CALL = { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "a.txt" } };

/** The events of a request for a stream that is answered with this body. */
const answered = (body: string, options: Partial<AnthropicOptions> = {}) =>
  attempt({
    model: anthropic({
      model: "claude-sonnet-4-6",
      apiKey: "key",
      fetch: async () => new Response(body, { headers: JSON_TYPE }),
      ...options,
    }),
  });

const messageWith = (content: readonly unknown[], more: object = {}): string =>
  JSON.stringify({
    type: "message",
    role: "assistant",
    content,
    stop_reason: "tool_use",
    usage: { input_tokens: 1e6, output_tokens: 1e6 },
    ...more,
  });

const typesOf = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type.startsWith("llm.tool"));

describe("a message that comes whole where a stream was requested", () => {
  test("has its thinking, texts, calls, usage and cost", async () => {
    const content = [
      { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
      { type: "redacted_thinking", data: "abc" },
      { type: "text", text: "I look." },
      CALL,
      { ...CALL, id: "toolu_2", input: {} },
    ];
    const events = await answered(messageWith(content));
    expect(wordsOf(events)).toMatchObject({ 0: "Let me see.", 1: "I look." });
    expect(last(events)).toMatchObject({
      type: "llm.finished",
      stopReason: "tool_use",
      usage: { tokensIn: 1e6, tokensOut: 1e6, cost: 3 + 15 },
      content,
    });
  });

  test("may be longer than the error that an endpoint sends", async () => {
    const text = "word ".repeat(100_000);
    expect(wordsOf(await answered(messageWith([{ type: "text", text }])))[0]).toBe(text);
  });

  test.each(["max_tokens", "model_context_window_exceeded"])(
    "runs no call if it stopped by %s (L7)",
    async (stop_reason) => {
      const events = await answered(messageWith([CALL], { stop_reason }));
      expect(typesOf(events)).not.toContain("llm.tool.end");
      expect(last(events)).toMatchObject({ type: "llm.finished", stopReason: stop_reason });
    },
  );

  test.each([
    ["a text", '{"path":"a.txt"}'],
    ["a list", []],
    ["nothing", undefined],
  ])("runs no call whose arguments are %s (L7)", async (_, input) => {
    const events = await answered(messageWith([{ ...CALL, input }]));
    expect(typesOf(events)).toContain("llm.tool.broken");
    expect(typesOf(events)).not.toContain("llm.tool.end");
  });

  test.each([
    ["without a stop reason", messageWith([CALL], { stop_reason: null })],
    ["that was cut", messageWith([CALL]).slice(0, -20)],
    ["with a block that is no block", messageWith([CALL, 1])],
  ])("is a failure %s", async (_, body) => {
    const end = last(await answered(body));
    expect(end).toMatchObject({ type: "llm.failed", failure: { code: "bad_stream" } });
  });

  test("has at most eventMaxChars characters (L14)", async () => {
    const end = last(await answered(messageWith([CALL]), { eventMaxChars: 100 }));
    expect(end).toMatchObject({
      failure: { code: "bad_stream", message: expect.stringContaining("messages of at most 100 characters") },
    });
  });

  test.each(["application/json", "application/vnd.message+json"])(
    "fails after idleTimeoutMs if it does not end, with the type %s",
    async (type) => {
      const fetch: typeof globalThis.fetch = async (_url, init) => {
        const body = new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"type":"message"'));
            init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
          },
        });
        return new Response(body, { headers: { "content-type": type } });
      };
      const end = last(await answered("", { fetch, idleTimeoutMs: 40 }));
      expect(end).toMatchObject({ failure: { code: "idle_timeout", retryable: true } });
    },
  );
});
