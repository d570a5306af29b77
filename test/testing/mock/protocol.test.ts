import { describe, expect, test } from "vitest";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { startMock } from "../../../testing/mock/server/server.ts";
import { hello, mockWith } from "./support.ts";

const call = { type: "tool_use", id: "t1", name: "t", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
const text = { type: "text", text: "x" };
const u = (...content: unknown[]) => ({ role: "user", content });
const a = (...content: unknown[]) => ({ role: "assistant", content });
const body = (...messages: unknown[]) => ({ model: "m", max_tokens: 1, messages });

describe("a request that the API would reject gets a 400 that names the field", () => {
  test.each([
    ["no model", { max_tokens: 1, messages: hello }, "model: Field required"],
    ["no max_tokens", { model: "m", messages: hello }, "max_tokens: Field required"],
    ["max_tokens 0", { model: "m", max_tokens: 0, messages: hello }, "max_tokens: Input should be greater"],
    ["no messages", { model: "m", max_tokens: 1 }, "messages: Field required"],
    ["empty messages", body(), "messages: at least one message is required"],
    ["a body that is a list", [], "request: "],
    ["an unknown role", body({ role: "tool", content: "x" }), "messages.0.role: Input should be"],
    ["an assistant first", body(a(text)), 'messages: first message must use the "user" role'],
    ["an empty message", body(u(text), a(), u(text)), "messages.1: all messages must have non-empty content"],
    [
      "an empty text",
      body(u({ type: "text", text: "" })),
      "messages.0.content.0: text content blocks must be non-empty",
    ],
    [
      "an empty text as a string",
      body({ role: "user", content: "" }),
      "text content blocks must be non-empty",
    ],
    ["a block without its field", body(u({ type: "text" })), "messages.0.content.0.text: Field required"],
    ["a block without a type", body(u({ text: "x" })), "messages.0.content.0.type: Field required"],
    [
      "a call without a result",
      body(u(text), a(call)),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1",
    ],
    [
      "a late result",
      body(u(text), a(call), u(text), a(text), u(result)),
      "messages.1: `tool_use` ids were found without",
    ],
    [
      "a result after a text",
      body(u(text), a(call), u(text, result)),
      "messages.1: `tool_use` ids were found without",
    ],
    [
      "an orphaned result",
      body(u(result)),
      "messages.0: unexpected `tool_use_id` found in `tool_result` blocks: t1",
    ],
    [
      "an orphan result next to a valid one",
      body(u(text), a(call), u(result, { ...result, tool_use_id: "t2" })),
      "messages.2: unexpected `tool_use_id`",
    ],
    [
      "two results of one call",
      body(u(text), a(call), u(result, result)),
      "each tool_use must have a single result",
    ],
    [
      "one id for two calls",
      body(u(text), a(call), u(result), a(call), u(result)),
      "`tool_use` ids must be unique: t1",
    ],
    ["a user's call", body(u(call)), "can only be in `assistant` messages"],
    ["an assistant's result", body(u(text), a(result)), "can only be in `user` messages"],
    [
      "white space at the end",
      body(u(text), a({ type: "text", text: "x " })),
      "messages: final assistant content cannot end with trailing whitespace",
    ],
    [
      "thinking without a signature",
      body(u(text), a({ type: "thinking", thinking: "x" })),
      "messages.1.content.0.signature: Field required",
    ],
    [
      "too many cache marks",
      body(u(...Array(5).fill({ ...text, cache_control: { type: "ephemeral" } }))),
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "two tools with one name",
      { ...body(u(text)), tools: [{ name: "t" }, { name: "t" }] },
      "Tool names must be unique: t",
    ],
    [
      "a tool with an invalid name",
      { ...body(u(text)), tools: [{ name: "a b" }] },
      "tools.0.name: String should match",
    ],
    ["no JSON", "{", "The request body is not valid JSON"],
    ["half of a surrogate pair", '{"model":"\\ud83d"}', "no low surrogate in string"],
  ])("%s", async (_, sent, expected) => {
    await using mock = await mockWith("- text: a\n- text: b");
    const response = await mock.post(sent);
    expect(response.status).toBe(400);
    const answer: unknown = await response.json();
    expect(answer).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error" },
      request_id: "req_mock_1",
    });
    expect(answer).toMatchObject({ error: { message: expect.stringContaining(expected) } });
    expect(response.headers.get("request-id")).toBe("req_mock_1");
    expect(mock.server.requests[0]).toMatchObject({ status: 400, error: { type: "invalid_request_error" } });
  });

  test("modified thinking", async () => {
    await using mock = await mockWith("- thinking: True.\n- text: b");
    const { content } = await mock.client.messages.create({ model: "m", max_tokens: 1, messages: hello });
    expect((await mock.post(body(u(text), a(...content), u(text)))).status).toBe(200);
    const changed = await mock.post(body(u(text), a({ ...content[0], thinking: "False." }), u(text)));
    expect(await changed.text()).toContain("messages.1.content.0: Invalid `signature` in `thinking` block");
  });
});

describe("a valid request is accepted", () => {
  test.each([
    ["messages of one role in a row", body(u(text), u(text))],
    [
      "results in two user messages",
      body(u(text), a(call, { ...call, id: "t2" }), u(result), u({ ...result, tool_use_id: "t2" })),
    ],
    ["a text behind the results", body(u(text), a(call), u(result, text))],
    ["a last assistant message to go on from", body(u(text), a(text))],
    ["images and blocks it does not know", body(u({ type: "image", source: {} }, text))],
    [
      "four cache marks, a system and tools",
      {
        ...body(u(text)),
        system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
        tools: [{ name: "t", input_schema: { type: "object" } }],
      },
    ],
  ])("%s", async (_, sent) => {
    await using mock = await mockWith("- text: a\n- text: b");
    expect((await mock.post(sent)).status).toBe(200);
  });
});

describe("the server", () => {
  test("requires a key, and accepts any", async () => {
    await using mock = await mockWith("- text: a");
    const without = await mock.post(body(u(text)), { headers: {} });
    expect(without.status).toBe(401);
    expect(await without.json()).toMatchObject({ error: { type: "authentication_error" } });
    expect((await mock.post(body(u(text)), { headers: { authorization: "Bearer x" } })).status).toBe(200);
  });

  test("returns 404 for other paths", async () => {
    await using mock = await mockWith("- text: a");
    for (const path of ["/", "/v1/complete", "/v1/models/%zz"]) {
      const response = await fetch(mock.server.url + path, { headers: { "x-api-key": "x" } });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { type: "not_found_error" } });
    }
  });

  test("accepts a URL with a query, as the SDK's beta sends", async () => {
    await using mock = await mockWith("- text: a");
    expect((await mock.post(body(u(text)), { path: "/v1/messages?beta=true" })).status).toBe(200);
  });

  test("lists one model and accepts any", async () => {
    await using mock = await mockWith("- text: a");
    expect((await mock.client.models.list()).data).toHaveLength(1);
    expect(await mock.client.models.retrieve("claude-x")).toMatchObject({ id: "claude-x", type: "model" });
  });

  test("rejects a request over the limit with a 413 (L14)", async () => {
    await using mock = await mockWith("- text: a", { requestBytesMax: 1000 });
    const response = await mock.post(body(u({ type: "text", text: "x".repeat(2_000_000) })));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      error: { type: "request_too_large", message: expect.stringContaining("1000 bytes") },
    });
  });

  test("rejects a request that is longer than its context window with a 400, and counts its tokens", async () => {
    await using mock = await mockWith("- text: a", { contextWindow: 500 });
    const sent = body(u({ type: "text", text: "x".repeat(4_000) }));
    const response = await mock.post(sent);
    expect(response.status).toBe(400);
    const counted = await mock.client.messages.countTokens({
      model: "m",
      messages: [{ role: "user", content: "x".repeat(4_000) }],
    });
    expect(counted.input_tokens).toBeGreaterThan(999);
    expect(await response.json()).toMatchObject({
      error: {
        type: "invalid_request_error",
        message: `prompt is too long: ${counted.input_tokens} tokens > 500 maximum`,
      },
    });
    expect(mock.server.requests[0]).toMatchObject({ status: 400, error: { type: "invalid_request_error" } });
  });

  test("accepts a request with as many tokens as its context window", async () => {
    const sent = body(u({ type: "text", text: "x".repeat(4_000) }));
    await using counting = await mockWith("- text: a");
    const { input_tokens: tokens } = await counting.client.messages.countTokens({
      model: "m",
      messages: [{ role: "user", content: [{ type: "text", text: "x".repeat(4_000) }] }],
    });
    await using exact = await mockWith("- text: a", { contextWindow: tokens });
    expect((await exact.post(sent)).status).toBe(200);
    await using shorter = await mockWith("- text: a", { contextWindow: tokens - 1 });
    expect((await shorter.post(sent)).status).toBe(400);
  });

  test("rejects other origins and other host names", async () => {
    await using mock = await mockWith("- text: a");
    const origin = await mock.post(body(u(text)), {
      headers: { "x-api-key": "x", origin: "https://example.com" },
    });
    expect(origin.status).toBe(403);
    const local = await mock.post(body(u(text)), {
      headers: { "x-api-key": "x", origin: "http://localhost:5173" },
    });
    expect(local.status).toBe(200);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      const headers = { host: "evil.example", "x-api-key": "x" };
      request({ port: mock.server.port, path: "/v1/models", headers }, (got) => {
        resolve(got.statusCode);
        got.resume();
      }).end();
    });
    expect(status).toBe(403);
  });

  test("records requests with masked keys, and notifies before the response", async () => {
    const seen: unknown[] = [];
    await using mock = await mockWith("rules: [{turns: [{status: 529}, {text: a}]}]", {
      onRequest: ({ path, turn, rule, attempt, fault, status }) =>
        seen.push([path, turn, rule, attempt, fault, status]),
    });
    await mock.post(body(...hello));
    await mock.post(body(...hello));
    expect(seen).toEqual([
      ["/v1/messages", 1, 1, 1, "status", 529],
      ["/v1/messages", 1, 1, 2, undefined, 200],
    ]);
    expect(mock.server.requests[1]).toMatchObject({
      id: "req_mock_2",
      method: "POST",
      headers: { "x-api-key": "***" },
      body: { model: "m", messages: hello },
    });
  });

  test("returns a 500 if its listener throws, and continues", async () => {
    let fails = true;
    await using mock = await mockWith("- text: a", {
      onRequest: () => {
        if (fails) throw new Error("the observer is ill");
      },
    });
    expect(String((await mock.events(hello)).error)).toContain("the observer is ill");
    expect((await mock.post("{")).status).toBe(500);
    fails = false;
    expect((await mock.events(hello)).error).toBeUndefined();
  });

  test("closes open responses at once, and may be closed twice", async () => {
    await using mock = await mockWith("- {stallMs: 86400000, after: 1}\n- text: hello there\n  chunk: 5");
    const stream = await mock.client.messages.create({
      model: "m",
      max_tokens: 1,
      stream: true,
      messages: hello,
    });
    const reading = (async () => {
      for await (const event of stream) if (event.type === "content_block_delta") void mock.server.close();
    })();
    await expect(reading).rejects.toThrow("terminated");
    await mock.server.close();
    await expect(fetch(mock.server.url)).rejects.toThrow();
  });

  test("rejects with the system's error if it cannot listen", async () => {
    await using mock = await mockWith("- text: a");
    await expect(startMock(parseScript("- text: a"), { port: mock.server.port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  test("survives clients that disconnect at any point", async () => {
    await using mock = await mockWith('- text: {repeat: "word ", times: 200000}');
    for (let n = 0; n < 20; n += 1) {
      const leave = new AbortController();
      const response = await mock.post({ ...body(u(text)), stream: true }, { signal: leave.signal });
      if (n % 2 === 0) await response.body?.getReader().read();
      leave.abort();
    }
    expect((await mock.post({ ...body(u(text)), stream: true })).status).toBe(200);
  });
});
