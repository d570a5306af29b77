import { describe, expect, test } from "vitest";
import { assistant, deltas, hello, mockWith, textOf, types, user } from "./support.ts";

describe("a streamed response", () => {
  test("is the event sequence of the API", async () => {
    await using mock = await mockWith("- text: Hello.");
    expect(types(await mock.events(hello))).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  test("has a ping, which the SDK ignores", async () => {
    await using mock = await mockWith("- text: Hello.");
    const response = await mock.post({ model: "m", max_tokens: 1, stream: true, messages: hello });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await response.text()).toContain('event: ping\ndata: {"type":"ping"}\n\n');
  });

  test("splits a text into chunks, never within a character", async () => {
    await using mock = await mockWith("- text: abc😀def\n  chunk: 4");
    expect(deltas(await mock.events(hello))).toEqual(["abc😀", "def"]);
  });

  test("sends thinking, then its signature", async () => {
    await using mock = await mockWith("- {thinking: Hmm., signature: signed}\n- thinking: Hmm.");
    const given = (await mock.events(hello)).events.filter(({ type }) => type === "content_block_delta");
    expect(given).toMatchObject([
      { delta: { type: "thinking_delta", thinking: "Hmm." } },
      { delta: { type: "signature_delta", signature: "signed" } },
    ]);
    const made = await mock.events([...hello, assistant("a"), user("b")]);
    expect(JSON.stringify(made.events)).toContain("mock_signature_");
  });

  test("sends redacted thinking as a block without deltas", async () => {
    await using mock = await mockWith("- redacted: c2VjcmV0");
    expect((await mock.events(hello)).events[1]).toMatchObject({
      content_block: { type: "redacted_thinking", data: "c2VjcmV0" },
    });
  });

  test("sends a tool's input as deltas of JSON, under an id of turn and block", async () => {
    await using mock = await mockWith(
      "- [{text: Look.}, {tool: read_file, input: {path: a.ts}}]\n- {tool: t, id: mine}",
    );
    const first = await mock.events(hello);
    expect(first.events.filter(({ type }) => type === "content_block_start")[1]).toMatchObject({
      content_block: { type: "tool_use", id: "toolu_2", name: "read_file", input: {} },
    });
    expect(textOf(first)).toBe('Look.{"path":"a.ts"}');
    const second = await mock.events([...hello, assistant("a"), user("b")]);
    expect(second.events[1]).toMatchObject({ content_block: { id: "mine" } });
    expect(deltas(second)).toEqual([""]);
  });

  test("never repeats a tool call id of the conversation", async () => {
    await using mock = await mockWith("- text: a\n- [{tool: t}, {tool: t}]");
    const call = { type: "tool_use", id: "toolu_1001", name: "t", input: {} } as const;
    const result = { type: "tool_result", tool_use_id: "toolu_1001" } as const;
    const { events } = await mock.events([...hello, assistant([call]), user([result])]);
    const ids = events.flatMap((event) =>
      event.type === "content_block_start" && event.content_block.type === "tool_use"
        ? [event.content_block.id]
        : [],
    );
    expect(ids).toEqual(["toolu_1002", "toolu_1003"]);
  });

  test("sends the raw arguments of a call unchanged, even if they are not JSON", async () => {
    await using mock = await mockWith(`- raw: {tool: t, json: '{"path": "a'}\n  stop: max_tokens`);
    const received = await mock.events(hello);
    expect(textOf(received)).toBe('{"path": "a');
    expect(received.events.at(-2)).toMatchObject({ delta: { stop_reason: "max_tokens" } });
  });

  test.each(["end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal"])(
    "has the stop reason %s",
    async (stop) => {
      await using mock = await mockWith(`- text: a\n  stop: ${stop}`);
      expect((await mock.events(hello)).events.at(-2)).toMatchObject({ delta: { stop_reason: stop } });
    },
  );

  test("reports the usage of the script: input at the start, all tokens at the end", async () => {
    await using mock = await mockWith(
      "- text: a\n  usage: {input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 11, cache_creation_input_tokens: 13}",
    );
    const { events } = await mock.events(hello);
    const input = { input_tokens: 5, cache_read_input_tokens: 11, cache_creation_input_tokens: 13 };
    expect(events[0]).toMatchObject({ message: { model: "a-model", usage: { ...input, output_tokens: 1 } } });
    expect(events.at(-2)).toMatchObject({ usage: { ...input, output_tokens: 7 } });
  });

  test("estimates the usage that the script leaves out, as count_tokens does", async () => {
    await using mock = await mockWith(`- text: ${"x".repeat(40)}`);
    const { events } = await mock.events(hello);
    const counted = await mock.client.messages.countTokens({ model: "m", messages: hello });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect(events.at(-2)).toMatchObject({ usage: { input_tokens: counted.input_tokens, output_tokens: 10 } });
  });

  test("streams 200,000 deltas and an input of a million characters", async () => {
    await using mock = await mockWith(
      '- text: {repeat: "word ", times: 200000}\n- tool: t\n  input: {a: {repeat: x, times: 1000000}}\n  chunk: 1000',
    );
    expect(deltas(await mock.events(hello))).toHaveLength(200_000);
    const input: unknown = JSON.parse(textOf(await mock.events([...hello, assistant("a"), user("b")])));
    expect(input).toEqual({ a: "x".repeat(1_000_000) });
  });

  test("waits for a client that does not read", async () => {
    await using mock = await mockWith('- text: {repeat: "word ", times: 200000}');
    const response = await mock.post({ model: "m", max_tokens: 1, stream: true, messages: hello });
    const reader = response.body?.getReader();
    await reader?.read();
    await mock.events([...hello, assistant("a"), user("b")]);
    let text = "";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text = (text + Buffer.from(part.value).toString()).slice(-100);
    }
    expect(text).toContain("event: message_stop");
  });
});

test("a response that is not streamed has the same blocks, stop reason and usage", async () => {
  await using mock = await mockWith(
    "- blocks: [{thinking: Hmm., signature: s}, {redacted: r}, {text: Hi.}, {tool: t, input: {a: 1}}, {raw: {tool: t, json: '{'}}]",
  );
  const message = await mock.client.messages.create({ model: "m", max_tokens: 9, messages: hello });
  expect(message).toMatchObject({
    type: "message",
    role: "assistant",
    model: "m",
    stop_reason: "tool_use",
    content: [
      { type: "thinking", thinking: "Hmm.", signature: "s" },
      { type: "redacted_thinking", data: "r" },
      { type: "text", text: "Hi." },
      { type: "tool_use", id: "toolu_4", name: "t", input: { a: 1 } },
      { type: "tool_use", id: "toolu_5", name: "t", input: {} },
    ],
    usage: { output_tokens: expect.any(Number), cache_read_input_tokens: 0 },
  });
});

describe("the pace", () => {
  test("keeps the order of blocks and their own chunks", async () => {
    await using mock = await mockWith(
      "chunk: 3\nturns:\n  - blocks: [{text: abcdef}, {text: abcdef, chunk: 2}]\n    delayMs: 0.5",
    );
    expect(deltas(await mock.events(hello))).toEqual(["abc", "def", "ab", "cd", "ef"]);
  });

  test("is never faster than the script specifies", async () => {
    await using mock = await mockWith("- text: {repeat: x, times: 100}\n  delayMs: 0.5");
    const begun = performance.now();
    expect(deltas(await mock.events(hello))).toHaveLength(100);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(49);
  });

  test("is the same for the same seed, and different for another seed or turn (L15)", async () => {
    const chunks = async (seed: number, messages = hello) => {
      await using mock = await mockWith(
        `seed: ${seed}\nchunk: [1, 30]\nturns:\n  - text: ${"x".repeat(300)}\n  - text: ${"x".repeat(300)}`,
      );
      return deltas(await mock.events(messages)).map(({ length }) => length);
    };
    const first = await chunks(7);
    expect(Math.min(...first.slice(0, -1))).toBeGreaterThanOrEqual(1);
    expect(Math.max(...first)).toBeLessThanOrEqual(30);
    expect(new Set(first).size).toBeGreaterThan(3);
    expect(await chunks(7)).toEqual(first);
    expect(await chunks(8)).not.toEqual(first);
    expect(await chunks(7, [...hello, assistant("a"), user("b")])).not.toEqual(first);
  });
});
