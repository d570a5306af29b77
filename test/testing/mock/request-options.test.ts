import { describe, expect, test } from "vitest";
import { hello, mockWith } from "./support.ts";

const body = (more: object) => ({ model: "m", max_tokens: 2_000, messages: hello, ...more });
const marked = (ttl?: string) => ({
  cache_control: { type: "ephemeral", ...(ttl !== undefined && { ttl }) },
});
const text = { type: "text", text: "x" };
const tool = { name: "t", input_schema: { type: "object", properties: {} } };
const search = { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" };
const deferred = { ...tool, defer_loading: true };
const strict = (properties: object, more: object = { additionalProperties: false }) => ({
  ...tool,
  strict: true,
  input_schema: { type: "object", properties, ...more },
});
const thinking = (budget_tokens: number, more = {}) => ({
  thinking: { type: "enabled", budget_tokens, ...more },
});

async function post(more: object, { beta = "", path = "/v1/messages" } = {}) {
  await using mock = await mockWith("- text: a");
  const headers = { "x-api-key": "any", ...(beta !== "" && { "anthropic-beta": beta }) };
  const response = await mock.post(body(more), { headers, path });
  return { status: response.status, text: await response.text() };
}

describe("a request with an option that the API would reject gets a 400 that names the field", () => {
  test.each([
    [
      "a cache mark of an unknown type",
      { system: [{ ...text, cache_control: { type: "eternal" } }] },
      "system.0.cache_control.type: Input should be 'ephemeral'",
    ],
    [
      "an unknown ttl",
      { messages: [{ role: "user", content: [{ ...text, ...marked("2h") }] }] },
      "messages.0.content.0.cache_control.ttl: Input should be '5m' or '1h'",
    ],
    [
      "a ttl of 1h after one of 5m in the tools",
      { tools: [{ ...tool, ...marked("5m") }], system: [{ ...text, ...marked("1h") }] },
      "system.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'",
    ],
    [
      "a ttl of 1h after the default",
      {
        messages: [
          {
            role: "user",
            content: [
              { ...text, ...marked() },
              { ...text, ...marked("1h") },
            ],
          },
        ],
      },
      "messages.0.content.1.cache_control.ttl: a ttl='1h'",
    ],
    ["strict that is no boolean", { tools: [{ ...tool, strict: "yes" }] }, "tools.0.strict: Input should be"],
    [
      "defer_loading that is no boolean",
      { tools: [{ ...tool, defer_loading: 1 }] },
      "tools.0.defer_loading: Input should be a valid boolean",
    ],
    [
      "eager_input_streaming that is no boolean",
      { tools: [{ ...tool, eager_input_streaming: "on" }] },
      "tools.0.eager_input_streaming: Input should be a valid boolean",
    ],
    [
      "a strict tool that permits other properties",
      { tools: [strict({}, {})] },
      "tools.0: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    [
      "a strict tool whose items permit other properties",
      { tools: [strict({ list: { type: "array", items: { type: "object", properties: {} } } })] },
      "tools.0: For 'object' type, 'additionalProperties' must be",
    ],
    [
      "a strict tool with a limit",
      {
        tools: [
          tool,
          { ...strict({ n: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] } }), name: "u" },
        ],
      },
      "tools.1: For 'integer' type, properties minimum are not supported",
    ],
    [
      "deferred tools alone",
      { tools: [deferred, { ...search, defer_loading: true }] },
      "tools: All tools have defer_loading set. At least one tool must be non-deferred.",
    ],
    [
      "a deferred tool that no tool search finds",
      { tools: [deferred, { ...tool, name: "u" }] },
      "tools: defer_loading needs a tool search tool",
    ],
    [
      "a cache mark on a deferred tool",
      { tools: [search, { ...deferred, ...marked() }] },
      "tools.1: Tool 't' cannot have both defer_loading=true and cache_control set.",
    ],
    [
      "a tool of an unknown type",
      { tools: [{ type: "web_search_19990101", name: "web_search" }] },
      "tools.0: Input tag 'web_search_19990101' found using 'type' does not match",
    ],
    [
      "a server tool with another name",
      { tools: [{ type: "web_search_20250305", name: "search" }] },
      "tools.0.name: Input should be 'web_search'",
    ],
    [
      "a server tool without a name",
      { tools: [{ type: "web_fetch_20250910" }] },
      "tools.0.name: Input should be",
    ],
    [
      "a toolset with a name",
      { tools: [{ type: "browser_toolset_20260801", name: "browser" }] },
      "tools.0.name: Extra inputs are not permitted",
    ],
    [
      "a tool that needs another beta",
      { tools: [{ type: "advisor_20260301", name: "advisor" }] },
      "It needs the header anthropic-beta: advisor-tool-2026-03-01",
    ],
    [
      "a thinking budget below 1,024",
      thinking(1_023),
      "thinking.budget_tokens: Input should be greater than or equal to 1024",
    ],
    ["no thinking budget", { thinking: { type: "enabled" } }, "thinking.budget_tokens: Field required"],
    [
      "a thinking budget of max_tokens",
      thinking(2_000),
      "`max_tokens` must be greater than `thinking.budget_tokens`",
    ],
    ["thinking of an unknown type", { thinking: { type: "much" } }, "thinking.type: Input tag"],
    [
      "thinking with an unknown display",
      { thinking: { type: "adaptive", display: "full" } },
      "thinking.display: Input should be 'summarized' or 'omitted'",
    ],
  ])("%s", async (_, more, expected) => {
    for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
      const isCount = path.endsWith("count_tokens");
      if (isCount && expected.includes("`max_tokens`")) continue;
      const sent = isCount ? { ...more, max_tokens: undefined } : more;
      const { status, text } = await post(sent, { path });
      expect([status, JSON.parse(text)]).toMatchObject([
        400,
        { error: { type: "invalid_request_error", message: expect.stringContaining(expected) } },
      ]);
    }
  });

  test.each([
    ["max_tokens", {}],
    ["stream", { max_tokens: undefined, stream: true }],
  ])("%s in a token count", async (field, more) => {
    const { status, text } = await post(more, { path: "/v1/messages/count_tokens" });
    expect([status, text]).toEqual([
      400,
      expect.stringContaining(`${field}: Extra inputs are not permitted`),
    ]);
  });
});

describe("a valid option is accepted", () => {
  test.each([
    [
      "marks for an hour before marks for five minutes",
      { tools: [{ ...tool, ...marked("1h") }], system: [{ ...text, ...marked("5m") }] },
      "",
    ],
    [
      "a strict tool",
      { tools: [strict({ list: { type: "array", minItems: 1, items: { type: "string" } } })] },
      "",
    ],
    [
      "a tool with a limit that is not strict",
      {
        tools: [
          { ...tool, input_schema: { type: "object", properties: { n: { type: "integer", minimum: 1 } } } },
        ],
      },
      "",
    ],
    [
      "a deferred tool beside a tool search with a cache mark",
      { tools: [deferred, { ...search, ...marked() }] },
      "",
    ],
    [
      "server tools",
      {
        tools: [
          { type: "web_search_20260318", name: "web_search", max_uses: 5 },
          { type: "web_fetch_20250910", name: "web_fetch" },
          { ...tool, type: "custom" },
        ],
      },
      "",
    ],
    ["a toolset", { tools: [{ type: "browser_toolset_20260801" }] }, ""],
    [
      "a tool with its beta",
      { tools: [{ type: "advisor_20260301", name: "advisor" }] },
      "a-beta, advisor-tool-2026-03-01",
    ],
    ["a thinking budget below max_tokens", thinking(1_999, { display: "omitted" }), ""],
    ["a thinking budget of a turn with its beta", thinking(5_000), "interleaved-thinking-2025-05-14"],
    ["thinking between tools", { thinking: { type: "between_tools" } }, ""],
  ])("%s", async (_, more, beta) => {
    expect(await post(more, { beta })).toMatchObject({ status: 200 });
  });
});
