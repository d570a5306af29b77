import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../../adapters/anthropic/model.ts";
import type { AnthropicOptions } from "../../../adapters/anthropic/options.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import type { ModelRequest } from "../../../ports/model.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../../testing/mock/server/server.ts";
import { builtinTools } from "../../../tools/index.ts";
import { attempt, hello, last, writeTool } from "../../actors/llm/attempt.ts";

const open: MockServer[] = [];
afterEach(async () => {
  for (const mock of open.splice(0)) await mock.close();
});

const MODEL = "claude-sonnet-4-6";
const BM25 = { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" } as const;
const SEARCH = { type: "web_search_20250305", name: "web_search", max_uses: 5 } as const;

const Body = z.looseObject({
  max_tokens: z.number().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  system: z.array(z.looseObject({})).optional(),
  thinking: z.looseObject({}).optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  messages: z.array(z.looseObject({ content: z.array(z.looseObject({})) })),
});

interface Setting {
  readonly script?: string;
  readonly history?: readonly Entry[];
  readonly tools?: readonly (typeof writeTool)[];
}

async function modelOf(options: Partial<AnthropicOptions>, script = "- text: a\n- text: b") {
  const mock = await startMock(parseScript(script));
  open.push(mock);
  return { mock, model: anthropic({ model: MODEL, apiKey: "key", baseURL: mock.url, ...options }) };
}

/** The end of a response of the mock server, which validates the request, and what the server received. */
async function ask(options: Partial<AnthropicOptions>, { script, history, tools = [] }: Setting = {}) {
  const { mock, model } = await modelOf(options, script);
  const end = last(await attempt({ model, tools }, undefined, history));
  const [request] = mock.requests;
  return {
    end,
    count: mock.requests.length,
    headers: request?.headers,
    body: request === undefined ? undefined : Body.parse(request.body),
  };
}

const namesWith = (field: string, body: z.output<typeof Body> | undefined): readonly string[] =>
  (body?.tools ?? []).filter((tool) => field in tool).map(({ name }) => name);

describe("cacheTtl 1h", () => {
  const turns: readonly Entry[] = [
    ...hello,
    { role: "assistant", content: [{ type: "text", text: "a" }] },
    ...hello,
  ];

  test("is on all four marks", async () => {
    const { end, body } = await ask({ cacheTtl: "1h" }, { history: turns, tools: [writeTool] });
    expect(end.type).toBe("llm.finished");
    const blocks = [body?.tools, body?.system, body?.messages.flatMap(({ content }) => content)].flat();
    expect(blocks.flatMap((block) => block?.cache_control ?? [])).toEqual(
      Array(4).fill({ type: "ephemeral", ttl: "1h" }),
    );
  });

  test.each([
    ["5m", 3.75],
    ["1h", 6],
    [undefined, 3.75],
  ] as const)("%s: a million tokens of cache writes cost %d dollars", async (cacheTtl, cost) => {
    const usage = `{ input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 1000000, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1000000 } }`;
    const { end } = await ask({ cacheTtl }, { script: `- text: a\n  usage: ${usage}` });
    expect(end).toMatchObject({ usage: { cacheWrites: 1e6, cost } });
  });
});

describe("tools.strict", () => {
  test("converts the schemas of all tools to what the endpoint guarantees", async () => {
    const { end, body } = await ask({ tools: { strict: true } }, { tools: builtinTools() });
    expect(end.type).toBe("llm.finished");
    expect(namesWith("strict", body)).toEqual(
      builtinTools().flatMap(({ name, requires }) => (requires === undefined ? [name] : [])),
    );
    expect(body?.tools?.find(({ name }) => name === "write_to_file")).toMatchObject({
      input_schema: {
        required: ["path", "content"],
        additionalProperties: false,
        properties: { path: { description: expect.stringContaining("{minLength: 1}") } },
      },
    });
  });

  test("with names leaves the other tools as they are", async () => {
    const { body } = await ask(
      { tools: { strict: ["write_to_file", "no_tool"] } },
      { tools: builtinTools() },
    );
    expect(namesWith("strict", body)).toEqual(["write_to_file"]);
    expect(body?.tools?.[0]?.input_schema).toEqual(builtinTools()[0]?.inputSchema);
  });

  test("fails for a schema without such a form, and sends nothing", async () => {
    const tool = { ...writeTool, inputSchema: { type: "object", properties: { content: {} } } };
    const { end, count } = await ask({ tools: { strict: true } }, { tools: [tool] });
    expect(end).toMatchObject({
      failure: {
        code: "invalid_request_error",
        retryable: false,
        message: expect.stringMatching(
          /^The tool write_to_file cannot be strict: .* leave it out of tools\.strict\./,
        ),
      },
    });
    expect(count).toBe(0);
  });
});

describe("tools.deferLoading", () => {
  test("sets the cache mark on the last tool that is not deferred", async () => {
    const options = { serverTools: [BM25], tools: { deferLoading: ["new_task", "update_todo_list"] } };
    const { end, body } = await ask(options, { tools: builtinTools() });
    expect(end.type).toBe("llm.finished");
    expect(namesWith("defer_loading", body)).toEqual(["new_task", "update_todo_list"]);
    expect(namesWith("cache_control", body)).toEqual(["switch_mode"]);
  });

  test("may be all tools of a task beside the tool search", async () => {
    const options = { serverTools: [BM25], tools: { deferLoading: true } };
    const { end, body } = await ask(options, { tools: builtinTools() });
    expect(end.type).toBe("llm.finished");
    expect(namesWith("cache_control", body)).toEqual([BM25.name]);
  });

  test.each([
    ["all tools", true, "All tools have defer_loading set"],
    ["a tool", ["new_task"], "defer_loading needs a tool search tool"],
  ])("of %s without a tool search is rejected by the endpoint", async (_, deferLoading, message) => {
    const { end } = await ask({ tools: { deferLoading } }, { tools: builtinTools() });
    expect(end).toMatchObject({
      failure: { code: "invalid_request_error", message: expect.stringContaining(message) },
    });
  });
});

test.each([
  [true, ["read_file", "write_to_file"]],
  [["write_to_file"], ["write_to_file"]],
  [false, []],
])("tools.eagerInputStreaming %j is sent with %j", async (eagerInputStreaming, names) => {
  const tools = builtinTools().filter(({ name }) => /^(read_file|write_to_file)$/.test(name));
  const { end, body } = await ask({ tools: { eagerInputStreaming } }, { tools });
  expect(end.type).toBe("llm.finished");
  expect(namesWith("eager_input_streaming", body)).toEqual(names);
});

describe("serverTools", () => {
  test("are sent unchanged, before the tools of the task", async () => {
    const web = { type: "web_fetch_20250910", name: "web_fetch", citations: { enabled: true } } as const;
    const { end, body } = await ask({ serverTools: [SEARCH, web] }, { tools: [writeTool] });
    expect(end.type).toBe("llm.finished");
    expect(body?.tools).toMatchObject([SEARCH, web, { name: "write_to_file" }]);
    expect(namesWith("cache_control", body)).toEqual(["write_to_file"]);
  });

  test("may be the only tools", async () => {
    const { end, body } = await ask({ serverTools: [SEARCH] });
    expect(end.type).toBe("llm.finished");
    expect(body?.tools).toEqual([{ ...SEARCH, cache_control: { type: "ephemeral" } }]);
  });

  test("of an unknown type are rejected by the endpoint, which names the type", async () => {
    const { end } = await ask({ serverTools: [{ type: "web_search_19990101", name: "web_search" }] });
    expect(end).toMatchObject({
      failure: { code: "invalid_request_error", message: expect.stringContaining("'web_search_19990101'") },
    });
  });

  test("of a beta are accepted with its header, which is sent beside the header of interleaved thinking", async () => {
    const serverTools = [{ type: "advisor_20260301", name: "advisor", model: "claude-opus-4-6" }];
    expect((await ask({ serverTools })).end.type).toBe("llm.failed");
    const { end, headers } = await ask({
      serverTools,
      headers: { "Anthropic-Beta": "advisor-tool-2026-03-01" },
      thinking: { budgetTokens: 2_000, interleaved: true },
    });
    expect(end.type).toBe("llm.finished");
    expect(headers?.["anthropic-beta"]).toBe("advisor-tool-2026-03-01, interleaved-thinking-2025-05-14");
  });
});

describe("thinking", () => {
  test.each([
    ["adaptive", { type: "adaptive" }],
    ["disabled", { type: "disabled" }],
    ["between_tools", { type: "between_tools" }],
    [
      { type: "adaptive", display: "summarized" },
      { type: "adaptive", display: "summarized" },
    ],
    [{ budgetTokens: 1_024 }, { type: "enabled", budget_tokens: 1_024 }],
    [
      { budgetTokens: 2_000, display: "omitted" },
      { type: "enabled", budget_tokens: 2_000, display: "omitted" },
    ],
  ] as const)("%j is sent as %j, and is accepted", async (thinking, sent) => {
    const { end, body, headers } = await ask({ thinking });
    expect(end.type).toBe("llm.finished");
    expect(body?.thinking).toEqual(sent);
    expect(headers).not.toHaveProperty("anthropic-beta");
  });

  test("adds its budget to the default maxTokens", async () => {
    expect((await ask({ thinking: { budgetTokens: 2_000 } })).body?.max_tokens).toBe(18_384);
    expect((await ask({ thinking: "adaptive" })).body?.max_tokens).toBe(16_384);
  });

  test("interleaved between tools may have a budget above maxTokens", async () => {
    const thinking = { budgetTokens: 5_000 };
    const { end } = await ask({ maxTokens: 4_000, thinking });
    expect(end).toMatchObject({
      failure: { code: "invalid_request_error", message: expect.stringContaining("max_tokens") },
    });
    const { end: accepted, headers } = await ask({
      maxTokens: 4_000,
      thinking: { ...thinking, interleaved: true },
    });
    expect(accepted.type).toBe("llm.finished");
    expect(headers?.["anthropic-beta"]).toBe("interleaved-thinking-2025-05-14");
  });

  test("is kept for the next request even if only its signature is shown", async () => {
    const block = { type: "thinking", thinking: "", signature: "c2ln" };
    const script = JSON.stringify([[{ block, deltas: [] }, { text: "a" }]]);
    const { end } = await ask({ thinking: { type: "adaptive", display: "omitted" } }, { script });
    expect(end).toMatchObject({ content: [block, { type: "text", text: "a" }] });
  });
});

describe("contextWindow", () => {
  test.each([
    ["claude-sonnet-4-6", undefined, 1_000_000],
    ["claude-opus-4-6", undefined, 1_000_000],
    ["claude-sonnet-4-6", 200_000, 200_000],
    ["another-claude-model", undefined, undefined],
    ["another-model", 32_000, 32_000],
  ])("of the model %s with the option %s is %s", (model, contextWindow, expected) => {
    const options = { model, apiKey: "key", ...(contextWindow !== undefined && { contextWindow }) };
    expect(anthropic(options).contextWindow).toBe(expected);
  });
});

describe("countTokens", () => {
  const request: ModelRequest = {
    system: ["Be brief."],
    messages: hello,
    tools: [{ name: "t", description: "d", input_schema: { type: "object", properties: {} } }],
  };
  const never = new AbortController().signal;
  const answering = (body: string, init: ResponseInit) =>
    anthropic({
      model: MODEL,
      apiKey: "key",
      baseURL: "http://127.0.0.1:1",
      fetch: async () => new Response(body, init),
    });

  test("counts the same request, without what only a response needs", async () => {
    const options: Partial<AnthropicOptions> = {
      cacheTtl: "1h",
      thinking: { budgetTokens: 2_000, interleaved: true },
      tools: { strict: true },
      serverTools: [SEARCH],
      effort: "low",
    };
    const { mock, model } = await modelOf(options);
    const counted = await model.countTokens(request, never);
    let tokensIn = 0;
    for await (const event of model.stream(request, never))
      if (event.type === "finished") tokensIn = event.usage.tokensIn;
    expect(counted).toBe(tokensIn);
    const [count, stream] = mock.requests;
    expect(count?.path).toBe("/v1/messages/count_tokens");
    expect(stream?.body).toEqual({ ...Body.parse(count?.body), max_tokens: 18_384, stream: true });
    expect(count?.headers["anthropic-beta"]).toBe(stream?.headers["anthropic-beta"]);
  });

  test("fails as a request does", async () => {
    const { model } = await modelOf({ serverTools: [{ type: "none", name: "none" }] });
    await expect(model.countTokens(request, never)).rejects.toMatchObject({
      name: "ModelError",
      code: "invalid_request_error",
      status: 400,
    });
    const busy = answering("{}", { status: 529, headers: { "retry-after": "2" } });
    await expect(busy.countTokens(request, never)).rejects.toMatchObject({
      code: "overloaded_error",
      retryable: true,
      retryAfterMs: 2_000,
    });
    const nowhere = anthropic({ model: MODEL, apiKey: "key", baseURL: "http://127.0.0.1:1" });
    await expect(nowhere.countTokens(request, never)).rejects.toMatchObject({ code: "connection_error" });
  });

  test.each([
    ["a page", "<html>log in</html>", "text/html"],
    ["another object", "{}", "application/json"],
    ["a negative count", '{"input_tokens":-1}', "application/json"],
  ])("fails for %s in place of a count", async (_, body, type) => {
    const model = answering(body, { headers: { "content-type": type } });
    await expect(model.countTokens(request, never)).rejects.toMatchObject({
      code: "bad_stream",
      retryable: false,
      message: expect.stringContaining("Expected a count of input tokens from http://127.0.0.1:1"),
    });
  });

  test("L10: rejects with the reason of the signal, before and during the request", async () => {
    const { mock, model } = await modelOf({});
    await expect(model.countTokens(request, AbortSignal.abort("enough"))).rejects.toBe("enough");
    expect(mock.requests).toEqual([]);
    const stop = new AbortController();
    const slow = anthropic({
      model: MODEL,
      apiKey: "key",
      baseURL: "http://127.0.0.1:1",
      fetch: (_url, init) =>
        new Promise((_, reject) => {
          init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
          stop.abort("too slow");
        }),
    });
    await expect(slow.countTokens(request, stop.signal)).rejects.toBe("too slow");
  });
});

describe("temperature and topP", () => {
  test("are sent with a request for a response, also 0, and not without the option", async () => {
    const { end, body } = await ask({ temperature: 0, topP: 0.5 });
    expect(end.type).toBe("llm.finished");
    expect(body).toMatchObject({ temperature: 0, top_p: 0.5 });
    expect((await ask({})).body).not.toHaveProperty("temperature");
    expect((await ask({})).body).not.toHaveProperty("top_p");
  });

  test("are not sent with a request for a count of tokens, which takes neither", async () => {
    const { mock, model } = await modelOf({ temperature: 0.5 });
    await model.countTokens({ system: [], tools: [], messages: hello }, new AbortController().signal);
    expect(mock.requests.map(({ body }) => JSON.stringify(body))).toEqual([
      expect.not.stringContaining("temperature"),
    ]);
  });
});
