import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, test } from "vitest";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { deltas, hello, mockWith, textOf } from "./support.ts";

const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "signalbox" } };
const found = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [{ type: "web_search_result", url: "https://a.example", title: "A", encrypted_content: "e" }],
};
const fetchUse = {
  type: "server_tool_use",
  id: "srvtoolu_2",
  name: "web_fetch",
  input: { url: "https://a.example" },
};
const fetched = {
  type: "web_fetch_tool_result",
  tool_use_id: "srvtoolu_2",
  content: { type: "web_fetch_tool_result_error", error_code: "unavailable" },
};
const citation = {
  type: "web_search_result_location",
  url: "https://a.example",
  title: "A",
  encrypted_index: "i",
  cited_text: "c",
};
const cited = { type: "text", text: "Found it.", citations: [citation] };
const call = { type: "tool_use", id: "t1", name: "t", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
const text = { type: "text", text: "x" };
const u = (...content: unknown[]) => ({ role: "user", content });
const a = (...content: unknown[]) => ({ role: "assistant", content });
const body = (...messages: unknown[]) => ({ model: "m", max_tokens: 1, messages });

const script = (...turns: unknown[]) => JSON.stringify({ turns });
const searched = [{ block: use }, { block: found }, { text: "Found it.", citations: [citation] }];

const starts = (events: readonly RawMessageStreamEvent[]) =>
  events.flatMap((event) => (event.type === "content_block_start" ? [event.content_block] : []));

describe("a block of a script that is given as JSON", () => {
  test("is streamed unchanged, its input as deltas of JSON, citations after their text", async () => {
    await using mock = await mockWith(script(searched));
    const { events } = await mock.events(hello);
    expect(starts(events)).toEqual([{ ...use, input: {} }, found, { type: "text", text: "", citations: [] }]);
    expect(deltas({ events }).join("")).toBe('{"query":"signalbox"}Found it.');
    const last = events.findLast(({ type }) => type === "content_block_delta");
    expect(last).toMatchObject({ delta: { type: "citations_delta", citation } });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "end_turn" } });
  });

  test("is sent with its own deltas, if there are any", async () => {
    const own = [
      { type: "input_json_delta", partial_json: '{"query":' },
      { type: "input_json_delta", partial_json: '"signalbox"}' },
      { type: "anything_delta", data: 1 },
    ];
    await using mock = await mockWith(
      script([{ block: { ...use, input: {} }, deltas: own }, { block: found }]),
    );
    const { events } = await mock.events(hello);
    expect(starts(events)).toEqual([{ ...use, input: {} }, found]);
    const sent = events.flatMap((event) => (event.type === "content_block_delta" ? [event.delta] : []));
    expect(sent).toEqual(own);
    const { content } = await mock.client.messages.create({ model: "m", max_tokens: 1, messages: hello });
    expect(content).toEqual([use, found]);
  });

  test("is complete in a response that is not streamed", async () => {
    await using mock = await mockWith(script(searched));
    const { content } = await mock.client.messages.create({ model: "m", max_tokens: 1, messages: hello });
    expect(content).toEqual([use, found, cited]);
  });

  test("is joined from text, thinking, signature and citation deltas", async () => {
    const thinking = {
      block: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: "Hm" },
        { type: "thinking_delta", thinking: "m." },
        { type: "signature_delta", signature: "s" },
      ],
    };
    const words = {
      block: { type: "text", text: "" },
      deltas: [
        { type: "text_delta", text: "Found it." },
        { type: "citations_delta", citation },
      ],
    };
    await using mock = await mockWith(script([thinking, words]));
    const { content } = await mock.client.messages.create({ model: "m", max_tokens: 1, messages: hello });
    expect(content).toEqual([{ type: "thinking", thinking: "Hmm.", signature: "s" }, cited]);
  });

  test.each([
    ["a use without a result at the end", [{ block: use }], "pause_turn"],
    ["a use, then its result", [{ block: use }, { block: found }], "end_turn"],
    ["a tool call with a caller", [{ block: { ...call, caller: { type: "direct" } } }], "tool_use"],
  ])("%s stops with its stop reason by default", async (_, turn, stop) => {
    await using mock = await mockWith(script(turn));
    expect((await mock.events(hello)).events.at(-2)).toMatchObject({ delta: { stop_reason: stop } });
  });

  test.each([
    ["[{block: {name: web_search}}]", "[0].block.type: expected a type, but got nothing"],
    ["[{block: text}]", "[0].block: expected a content block: an object with a type"],
    ["[{block: {type: x}, deltas: {type: y}}]", "[0].deltas: expected a list of deltas"],
    ["[{block: {type: x}, delta: []}]", 'got the field "delta"'],
    ["[{text: a, citations: [1]}]", "[0].citations[0]: expected a citation"],
  ])("%s is rejected by name", (source, expected) => {
    expect(() => parseScript(source)).toThrow(expected);
  });
});

describe("a later request", () => {
  const own = script(searched, { text: "Next." });
  test.each([
    ["has the blocks as they were sent", a(use, found, cited)],
    ["has a cache mark on one of them", a(use, { ...found, cache_control: { type: "ephemeral" } }, cited)],
    ["has blocks of another endpoint that are pairs", a(fetchUse, fetched, text)],
    ["has a block type that only the script knows", a({ type: "novel", data: 1 })],
  ])("is accepted if it %s", async (_, entry) => {
    await using mock = await mockWith(script(searched, [{ block: { type: "novel", data: 1 } }]));
    expect((await mock.post(body(u(text), entry, u(text)))).status).toBe(200);
  });

  test.each([
    [
      "has a modified result",
      [a(use, { ...found, content: [] }), u(text)],
      "messages.1.content.1: `web_search_tool_result` block was modified",
    ],
    [
      "has a modified use",
      [a({ ...use, input: {} }, found), u(text)],
      "messages.1.content.0: `server_tool_use` block was modified",
    ],
    [
      "has a use without its result",
      [a(use, cited), u(text)],
      "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
    ],
    [
      "has a paused use before a user message",
      [a(text, use), u(text)],
      "was found without a corresponding `web_search_tool_result` block",
    ],
    [
      "has a result without its use",
      [a(found, cited), u(text)],
      "messages.1: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1",
    ],
    [
      "has a result before its use",
      [a(found, use), u(text)],
      "messages.1: unexpected `tool_use_id` found in `web_search_tool_result` blocks",
    ],
    [
      "has the result of another server tool",
      [a(fetchUse, { ...fetched, type: "web_search_tool_result" }), u(text)],
      "messages.1: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_2",
    ],
    [
      "has one id for two open uses",
      [a(fetchUse, fetchUse, fetched), u(text)],
      "`server_tool_use` ids must be unique: srvtoolu_2",
    ],
    [
      "has an unknown server tool",
      [a({ ...fetchUse, name: "web_crawl" }, fetched), u(text)],
      "messages.1.content.0.name: Input should be 'web_search'",
    ],
    [
      "has a block of an unknown type",
      [a({ type: "novel", data: 1 }), u(text)],
      "messages.1.content.0: Input tag 'novel' found using 'type' does not match",
    ],
    [
      "has a result without content",
      [a(fetchUse, { type: "web_fetch_tool_result", tool_use_id: "srvtoolu_2" }), u(text)],
      "messages.1.content.1.content: Field required",
    ],
    [
      "has a server tool in a user message",
      [u(fetchUse)],
      "`server_tool_use` blocks can only be in `assistant` messages",
    ],
  ])("is rejected if it %s", async (_, messages, expected) => {
    await using mock = await mockWith(own);
    const response = await mock.post(body(u(text), ...messages));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(expected) } });
  });
});

describe("a paused turn", () => {
  const own = script({ block: fetchUse }, [{ block: fetched }, { text: "Done." }], { text: "Next." });

  test("is continued by a request that ends with it", async () => {
    await using mock = await mockWith(own);
    const response = await mock.post({ ...body(u(text), a(fetchUse)) });
    expect(await response.json()).toMatchObject({ content: [fetched, { type: "text", text: "Done." }] });
  });

  test.each([
    ["one message", [a(fetchUse, fetched, { type: "text", text: "Done." })]],
    ["two messages", [a(fetchUse), a(fetched, { type: "text", text: "Done." })]],
  ])("and its continuation count as two responses in %s", async (_, messages) => {
    await using mock = await mockWith(own);
    const response = await mock.post(body(u(text), ...messages, u(text)));
    expect(await response.json()).toMatchObject({ content: [{ text: "Next." }] });
  });

  test("beside a tool call has its result in the next turn", async () => {
    await using mock = await mockWith(
      script([{ block: fetchUse }, { tool: "t" }], { text: "a" }, { text: "b" }),
    );
    const messages = [u(text), a(fetchUse, call), u(result), a(fetched, text), u(text)];
    expect((await mock.post(body(...messages))).status).toBe(200);
    const open = [u(text), a(fetchUse, call), u(result), a(text), u(text)];
    expect(await (await mock.post(body(...open))).text()).toContain("without a corresponding");
  });
});

test("the usage of a script has cache writes by time to live, and requests of server tools", async () => {
  await using mock = await mockWith(
    "- text: a\n  usage: {cache_creation: {ephemeral_1h_input_tokens: 5}, server_tool_use: {web_search_requests: 2}}",
  );
  const received = await mock.events(hello);
  expect(textOf(received)).toBe("a");
  expect(received.events.at(-2)).toMatchObject({
    usage: { cache_creation: { ephemeral_1h_input_tokens: 5 }, server_tool_use: { web_search_requests: 2 } },
  });
});
