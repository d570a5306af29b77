import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { anthropic } from "../../../adapters/anthropic/model.ts";
import type { AnthropicOptions } from "../../../adapters/anthropic/options.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../../testing/mock/server/server.ts";
import { attempt, begin, last, llmEvents, wordsOf } from "../../actors/llm/attempt.ts";
import { settle, TestClock } from "../../actors/protocol/host.ts";

const open: MockServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const mock of open.splice(0)) await mock.close();
});

async function mockOf(script: string): Promise<MockServer> {
  const mock = await startMock(parseScript(script));
  open.push(mock);
  return mock;
}

async function ask(script: string, options: Partial<AnthropicOptions> = {}) {
  const mock = await mockOf(script);
  const model = anthropic({ model: "claude-sonnet-4-6", apiKey: "key", baseURL: mock.url, ...options });
  return { events: await attempt({ model }), mock };
}

const failureOf = async (script: string, options: Partial<AnthropicOptions> = {}) => {
  const end = last((await ask(script, options)).events);
  if (end.type !== "llm.failed") throw new Error(`expected a failure, got ${end.type}`);
  return end;
};

test("a response over HTTP has thinking, text, tool calls, usage and cost", async () => {
  const { events, mock } = await ask(`
    - blocks:
        - thinking: Let me see.
          signature: c2ln
        - redacted: abc
        - text: I look at the file.
        - tool: read_file
          id: toolu_7
          input: { path: src/a.ts }
      chunk: 3
      usage: { input_tokens: 1000000, output_tokens: 1000000, cache_read_input_tokens: 1000000, cache_creation_input_tokens: 1000000 }
  `);
  expect(wordsOf(events)).toEqual({ 0: "Let me see.", 1: "I look at the file." });
  expect(last(events)).toMatchObject({
    type: "llm.finished",
    stopReason: "tool_use",
    usage: { tokensIn: 1e6, tokensOut: 1e6, cacheWrites: 1e6, cacheReads: 1e6, cost: 3 + 15 + 3.75 + 0.3 },
    content: [
      { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
      { type: "redacted_thinking", data: "abc" },
      { type: "text", text: "I look at the file." },
      { type: "tool_use", id: "toolu_7", name: "read_file", input: { path: "src/a.ts" } },
    ],
  });
  expect(mock.requests).toHaveLength(1);
});

test("a response of 1,000 deltas reaches the task in far fewer events, with the same text", async () => {
  const { events } = await ask(`- text: { repeat: "wörd ", times: 20000 }\n  chunk: 7`);
  expect(wordsOf(events)[0]).toBe("wörd ".repeat(20_000));
  expect(events.length).toBeLessThan(2_000);
});

describe("L7: a tool call that is cut by the output limit never runs", () => {
  test.each(["max_tokens", "model_context_window_exceeded"])("stop reason %s", async (stop) => {
    const { events } = await ask(`- tool: execute_command\n  input: { command: rm }\n  stop: ${stop}`);
    expect(events.map(({ type }) => type)).not.toContain("llm.tool.end");
    expect(last(events)).toMatchObject({
      type: "llm.finished",
      stopReason: stop,
      content: [{ type: "tool_use", input: { unparsed_arguments: '{"command":"rm"}' } }],
    });
  });

  test("a complete tool call with invalid JSON is broken, and keeps its text", async () => {
    const { events } = await ask(`- raw: { tool: write_to_file, json: '{"path": "a' }`);
    expect(events.find(({ type }) => type === "llm.tool.broken")).toBeDefined();
    expect(last(events)).toMatchObject({ content: [{ input: { unparsed_arguments: '{"path": "a' } }] });
  });
});

test.each(["pause_turn", "max_tokens", "end_turn"])("the stop reason %s passes through", async (stop) => {
  const { events } = await ask(`- text: so\n  stop: ${stop}`);
  expect(last(events)).toMatchObject({ type: "llm.finished", stopReason: stop });
});

test("a refusal is a failure with its reason and usage, and is not retried", async () => {
  const end = await failureOf(`- text: I\n  stop: refusal\n  usage: { input_tokens: 12 }`);
  expect(end).toMatchObject({
    failure: { code: "refusal", retryable: false, message: expect.stringContaining("refused") },
    usage: { tokensIn: 12 },
  });
});

describe("an HTTP error of the endpoint", () => {
  test.each([
    [400, "invalid_request_error", false],
    [401, "authentication_error", false],
    [403, "permission_error", false],
    [404, "not_found_error", false],
    [413, "request_too_large", false],
    [422, "invalid_request_error", false],
    [429, "rate_limit_error", true],
    [500, "api_error", true],
    [503, "api_error", true],
    [529, "overloaded_error", true],
  ])("of status %i has the code %s; retryable: %s", async (status, code, retryable) => {
    const bare = await failureOf(`- status: ${status}\n  body: { no: form }\n- text: x`);
    expect(bare.failure).toMatchObject({ code, status, retryable });
    const body = `{ type: error, error: { type: ${code}, message: what is wrong } }`;
    const formed = await failureOf(`- status: ${status}\n  body: ${body}\n- text: x`);
    expect(formed.failure).toMatchObject({
      code,
      status,
      retryable,
      message: expect.stringContaining("what is wrong"),
    });
  });

  test.each([
    [400, "prompt is too long: 208310 tokens > 200000 maximum", "prompt_too_long"],
    [
      400,
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
      "prompt_too_long",
    ],
    [422, "The request exceeds the context window.", "prompt_too_long"],
    [400, "messages: text content blocks must be non-empty", "invalid_request_error"],
    [400, "max_tokens: 300000 > 64000, which is the maximum", "invalid_request_error"],
  ])("of status %i that says %j has the code %s", async (status, message, code) => {
    const error = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
    const { failure } = await failureOf(`- status: ${status}\n  body: ${error}\n- text: x`);
    expect(failure).toMatchObject({
      code,
      status,
      retryable: false,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    [413, "request_too_large"],
    [529, "overloaded_error"],
  ])("of status %i keeps its code, whatever its message", async (status, code) => {
    const error = JSON.stringify({ type: "error", error: { type: code, message: "prompt is too long" } });
    const { failure } = await failureOf(`- status: ${status}\n  body: ${error}\n- text: x`);
    expect(failure).toMatchObject({ code, status });
  });

  test("is not retried here: the task retries", async () => {
    const { mock } = await ask("- status: 529\n  times: 3\n- text: x");
    expect(mock.requests).toHaveLength(1);
  });

  test.each([
    ["1.5", 1_500],
    ["0", 0],
    ["Sun, 06 Nov 1994 08:49:47 GMT", 10_000],
    ["Sun, 06 Nov 1994 08:49:30 GMT", 0],
    ["soon", undefined],
  ])("with Retry-After %s has a delay of %s ms", async (retryAfter, ms) => {
    const now = Date.parse("Sun, 06 Nov 1994 08:49:37 GMT");
    const clock = { now: () => now, after: () => () => {} };
    const { failure } = await failureOf(`- status: 429\n  retryAfter: "${retryAfter}"\n- text: x`, { clock });
    expect(failure.retryAfterMs).toBe(ms);
  });

  test("is also an HTML page in place of a stream", async () => {
    const { failure } = await failureOf(`- status: 200\n  body: "<html>log in</html>"\n- text: x`);
    expect(failure).toMatchObject({
      code: "bad_stream",
      retryable: false,
      message: expect.stringMatching(/html|json/),
    });
  });
});

describe("a stream that breaks", () => {
  test("by a value that is nested too deeply is retryable", async () => {
    const input = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const start = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":${input}}}`;
    const headers = { "content-type": "text/event-stream" };
    const fetch = async () => new Response(`event: content_block_start\ndata: ${start}\n\n`, { headers });
    const model = anthropic({ model: "m", apiKey: "k", fetch });
    expect(last(await attempt({ model }))).toMatchObject({
      failure: { code: "bad_stream", retryable: true },
    });
  });

  test.each(["overloaded_error", "api_error", "rate_limit_error"])(
    "by the error event %s is retryable",
    async (type) => {
      const script = `- errorEvent: { type: ${type}, message: too much }\n  after: 2\n- text: one two three\n  chunk: 1`;
      const { failure } = await failureOf(script);
      expect(failure).toEqual({ code: type, message: "too much", retryable: true });
    },
  );

  test("by the error event invalid_request_error is not retryable", async () => {
    const { failure } = await failureOf(
      "- errorEvent: { type: invalid_request_error, message: no }\n- text: x",
    );
    expect(failure).toMatchObject({ code: "invalid_request_error", retryable: false });
  });

  test.each(["true", "false"])(
    "L4: without a last event is a failure, with a clean end: %s",
    async (cleanly) => {
      const { events } = await ask(`- cutAfter: 3\n  cleanly: ${cleanly}\n- text: one two three\n  chunk: 2`);
      expect(wordsOf(events)[0]).toBe("one tw");
      expect(last(events)).toMatchObject({
        type: "llm.failed",
        failure: { code: "stream_cut", retryable: true },
      });
    },
  );

  test("L7: leaves its tool call without an end", async () => {
    const { events } = await ask(
      `- cutAfter: 1\n- tool: execute_command\n  input: { command: rm }\n  chunk: 1000`,
    );
    expect(events.map(({ type }) => type).filter((type) => /tool/.test(type))).toEqual(["llm.tool.start"]);
  });

  test("by a connection that closes without a response", async () => {
    const { failure } = await failureOf("- drop: true\n- text: x");
    expect(failure).toMatchObject({ code: "connection_error", retryable: true });
  });

  test("by an endpoint that can't be reached", async () => {
    const mock = await startMock(parseScript("- text: x"));
    await mock.close();
    const model = anthropic({ model: "m", apiKey: "k", baseURL: mock.url });
    expect(last(await attempt({ model }))).toMatchObject({
      failure: { code: "connection_error", retryable: true, message: expect.stringContaining(mock.url) },
    });
  });
});

describe("keys", () => {
  test("the request fails without a key, with what to do in two lines", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "");
    const end = last(await attempt({ model: anthropic({ model: "m", baseURL: "http://127.0.0.1:1" }) }));
    if (end.type !== "llm.failed") throw new Error("expected a failure");
    expect(end.failure).toMatchObject({ code: "no_api_key", retryable: false });
    expect(end.failure.message.split("\n")).toHaveLength(2);
  });

  test.each([
    ["ANTHROPIC_API_KEY", "env-key", {}],
    ["ANTHROPIC_AUTH_TOKEN", "env-token", {}],
    ["ANTHROPIC_API_KEY", "given", { authToken: "given" }],
    ["ANTHROPIC_API_KEY", "given", { apiKey: "given" }],
  ])("%s is used unless the option is set: %s", async (name, sent, options) => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "");
    vi.stubEnv(name, `env-${name.endsWith("KEY") ? "key" : "token"}`);
    let headers: Headers | undefined;
    const model = anthropic({
      model: "m",
      baseURL: "http://127.0.0.1:1",
      ...options,
      fetch: async (_url, init) => {
        headers = new Headers(init?.headers);
        return new Response("{}", { status: 500 });
      },
    });
    await attempt({ model });
    expect(`${headers?.get("authorization")} ${headers?.get("x-api-key")}`).toContain(sent);
  });
});

test("L10: a stop closes the connection and emits nothing", async () => {
  let closed = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const mock = await mockOf("- stallMs: 600000\n  after: 1\n- text: one two\n  chunk: 1");
  const model = anthropic({
    model: "m",
    apiKey: "k",
    baseURL: mock.url,
    fetch: (url, init) => {
      init?.signal?.addEventListener("abort", closed);
      return fetch(url, init);
    },
  });
  const actor = begin({ model });
  await new Promise<void>((resolve) =>
    actor.stopWhen(({ type }) => {
      if (type === "llm.text.delta") resolve();
      return type === "llm.text.delta";
    }),
  );
  await aborted;
  expect(llmEvents(actor.received).filter(({ type }) => type !== "llm.usage")).toHaveLength(1);
});

test("an endpoint that stalls fails after idleTimeoutMs", async () => {
  const script = "- stallMs: 600000\n  after: 1\n- text: one two\n  chunk: 1";
  const { failure } = await failureOf(script, { idleTimeoutMs: 40 });
  expect(failure).toMatchObject({ code: "idle_timeout", retryable: true });
});

test("a connection may end after the last event, for 100 ms and no longer, so that it can be reused", async () => {
  const clock = new TestClock();
  const events = [
    { type: "message_start", message: {} },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "a" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ];
  const bytes = Buffer.from(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  );
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(bytes),
    cancel: () => {
      cancelled = true;
    },
  });
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const model = anthropic({ model: "m", apiKey: "k", baseURL: "http://127.0.0.1:1", fetch, clock });
  const seen: string[] = [];
  const read = async () => {
    const request = { system: [], messages: [], tools: [] };
    for await (const { type } of model.stream(request, new AbortController().signal)) seen.push(type);
  };
  const reading = read();
  await vi.waitFor(() => expect(seen).toContain("block.end"));
  clock.moveTo(1_099);
  await settle();
  expect([seen.at(-1), cancelled]).toEqual(["block.end", false]);
  clock.moveTo(1_100);
  await reading;
  expect([seen.at(-1), cancelled, clock.waiting]).toEqual(["finished", true, 0]);
});

describe("the endpoint of a model", () => {
  const endpointOf = (baseURL?: string) => anthropic({ model: "m", baseURL }).endpoint;

  test.each([
    [
      "has no user, password, query and fragment",
      "https://me:secret@proxy.test/v1/?key=secret#x",
      "https://proxy.test/v1",
    ],
    ["keeps its port", "http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
    ["is undefined where it is no URL", "proxy", undefined],
  ])("%s", (_, baseURL, endpoint) => {
    expect(endpointOf(baseURL)).toBe(endpoint);
  });

  test("comes from the environment, else it is the public API", () => {
    vi.stubEnv("ANTHROPIC_BASE_URL", undefined);
    expect(endpointOf()).toBe("https://api.anthropic.com");
    vi.stubEnv("ANTHROPIC_BASE_URL", "http://localhost:1");
    expect(endpointOf()).toBe("http://localhost:1");
    expect(anthropic({ model: "m" })).toMatchObject({ id: "m", provider: "anthropic" });
  });
});

test("a failed response does not stay in memory", async () => {
  const bodies: WeakRef<object>[] = [];
  const fetch = async () => {
    const response = new Response("data: {}\n\n", { headers: { "content-type": "text/event-stream" } });
    if (response.body !== null) bodies.push(new WeakRef(response.body));
    return response;
  };
  const model = anthropic({ model: "m", apiKey: "k", fetch });
  for (let n = 0; n < 5; n += 1) expect(last(await attempt({ model })).type).toBe("llm.failed");
  await turnOfEventLoop();
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  // The engine may keep the last one for a while.
  expect(bodies.filter((body) => body.deref() !== undefined).length).toBeLessThanOrEqual(1);
});
