import { describe, expect, test } from "vitest";
import type { ModelError } from "../../../actors/llm/model-error.ts";
import { ResponseDecoder } from "../../../adapters/anthropic/decoder.ts";
import { EventStreamParser } from "../../../adapters/anthropic/event-stream.ts";
import type { ModelEvent } from "../../../ports/model.ts";

function decode(events: readonly unknown[]): readonly ModelEvent[] {
  const decoder = new ResponseDecoder(undefined, 1_000);
  return events.flatMap((event) => decoder.decode(event));
}
const start = (index: number, block: unknown) => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: number, piece: unknown) => ({ type: "content_block_delta", index, delta: piece });
const stop = (index: number) => ({ type: "content_block_stop", index });
const text = (value: unknown) => ({ type: "text_delta", text: value });
const json = (piece: string) => ({ type: "input_json_delta", partial_json: piece });

const TOOL = { type: "tool_use", id: "i", name: "n", input: {} };

test("blocks of one index, one after the other, are blocks of their own", () => {
  const calls = [1, 2].flatMap((a) => [start(0, TOOL), delta(0, json(JSON.stringify({ a }))), stop(0)]);
  expect(decode(calls).flatMap((event) => (event.type === "tool.delta" ? [event.json] : []))).toEqual([
    '{"a":1}',
    '{"a":2}',
  ]);
});

test("each delta is an event, and the end of its block is one", () => {
  const events = [start(0, { type: "text", text: "" }), delta(0, text("a")), delta(0, text("b")), stop(0)];
  expect(decode(events)).toEqual([
    { type: "text.delta", text: "a" },
    { type: "text.delta", text: "b" },
    { type: "block.end" },
  ]);
});

test("the content in the start of a block is part of it", () => {
  const tool = { type: "tool_use", id: "i", name: "n", input: { a: 1 } };
  expect(decode([start(0, { type: "text", text: "a" }), stop(0)])[0]).toEqual({
    type: "text.delta",
    text: "a",
  });
  expect(decode([start(0, tool), stop(0)])[1]).toEqual({ type: "tool.delta", json: '{"a":1}' });
  const streamed = [start(0, tool), delta(0, json("")), delta(0, json("{}")), stop(0)];
  expect(decode(streamed).filter(({ type }) => type === "tool.delta")).toEqual([
    { type: "tool.delta", json: "{}" },
  ]);
});

test.each([
  [
    { type: "tool_use", id: "i", name: "n", input: { a: 1 } },
    { type: "tool.delta", json: '{"a":1}' },
  ],
  [
    { type: "thinking", thinking: "t", signature: "s" },
    { type: "thinking.end", signature: "s" },
  ],
  [
    { type: "hologram", depth: 3 },
    { type: "opaque", block: { type: "hologram", depth: 3 } },
  ],
])("the end of a response ends its last block: %j", (block, event) => {
  const end = [{ type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }];
  const events = decode([start(0, block), ...end]);
  expect(events).toContainEqual(event);
  expect(events.at(-1)?.type).toBe("finished");
});

test.each<[string, unknown[]]>([
  ["a delta without a block", [delta(0, text("a"))]],
  ["a delta of a block that is not open", [start(0, { type: "text" }), delta(1, text("a"))]],
  ["a delta after the stop of its block", [start(0, { type: "text" }), stop(0), delta(0, text("a"))]],
  ["arguments in a text block", [start(0, { type: "text" }), delta(0, json("{}"))]],
  ["text that is not a string", [start(0, { type: "text" }), delta(0, text(7))]],
  ["the result of a tool call", [start(0, { type: "tool_result", tool_use_id: "t", content: [] })]],
  ["a citation that is missing", [start(0, { type: "text" }), delta(0, { type: "citations_delta" })]],
  ["a call without an id", [start(0, { type: "tool_use", name: "n" })]],
  ["a number for an event", [7]],
  ["the end of a block that is not open", [start(0, { type: "text" }), stop(1)]],
  ["a call that another block follows before its arguments", [start(0, TOOL), start(1, { type: "text" })]],
  [
    "arguments of two calls that interleave",
    [start(0, TOOL), delta(0, json("{")), start(1, TOOL), delta(0, json("}"))],
  ],
  [
    "a call that the response ends before its arguments",
    [start(0, TOOL), { type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }],
  ],
  ["an end without a stop reason", [{ type: "message_stop" }]],
  [
    "an unknown stop reason",
    [{ type: "message_delta", delta: { stop_reason: "bored" } }, { type: "message_stop" }],
  ],
])("%s fails with bad_stream and what was expected", (_name, events) => {
  const attempt = () => decode(events);
  expect(attempt).toThrow(
    expect.objectContaining<Partial<ModelError>>({ code: "bad_stream", retryable: true }),
  );
  expect(attempt).toThrow(/expected .+, got .+/);
});

test("events of unknown types are skipped", () => {
  expect(decode([{ type: "later_invention", x: 1 }])).toEqual([]);
});

describe("a block of any other type is one event at its end, as it came", () => {
  const decoded = (block: object, ...deltas: object[]) =>
    decode([start(0, block), ...deltas.map((one) => delta(0, one)), stop(0)]);

  test.each<[string, object, object[], object]>([
    [
      "with the arguments that were streamed",
      { type: "server_tool_use", id: "s", name: "web_search", input: {} },
      [json('{"query":'), json('"x"}')],
      { input: { query: "x" } },
    ],
    [
      "with its first arguments, where others were cut",
      { type: "mcp_tool_use", id: "m", input: {} },
      [json("{")],
      {},
    ],
    [
      "without deltas",
      {
        type: "web_search_tool_result",
        tool_use_id: "s",
        content: [{ type: "web_search_result", url: "u" }],
      },
      [],
      {},
    ],
    [
      "with a value that a delta brings",
      { type: "compaction", content: null },
      [{ type: "compaction_delta", content: "Summary." }],
      { content: "Summary." },
    ],
    [
      "with text that deltas append",
      { type: "later", text: "a" },
      [
        { type: "text_delta", text: "b" },
        { type: "later_delta", text: "c", size: 3 },
      ],
      { text: "abc", size: 3 },
    ],
  ])("%s", (_name, block, deltas, changed) => {
    expect(decoded(block, ...deltas)).toEqual([{ type: "opaque", block: { ...block, ...changed } }]);
  });
});

test("a block that is not interpreted has a limit of characters over all its deltas (L14)", () => {
  const part = delta(0, { type: "later_delta", text: "x".repeat(300) });
  const fails = () => decode([start(0, { type: "later" }), part, part, part, part, stop(0)]);
  expect(fails).toThrow("Expected blocks of at most 1000 characters");
  expect(decode([start(0, { type: "later" }), part, part, stop(0)])).toHaveLength(1);
});

test("fields that no event has come with the end of a block, or the start of a tool call", () => {
  const citation = { type: "char_location", cited_text: "x" };
  expect(
    decode([
      start(0, { type: "text", text: "a", citations: [] }),
      delta(0, { type: "citations_delta", citation }),
      delta(0, { type: "citations_delta", citation: { ...citation, cited_text: "y" } }),
      stop(0),
      start(1, { type: "text", text: "b", citations: null }),
      stop(1),
      start(2, { type: "thinking", thinking: "t", signature: "s", effort: "low" }),
      stop(2),
      start(3, { type: "tool_use", id: "c", name: "read", input: {}, caller: { type: "direct" } }),
      stop(3),
    ]),
  ).toEqual([
    { type: "text.delta", text: "a" },
    { type: "block.end", extra: { citations: [citation, { ...citation, cited_text: "y" }] } },
    { type: "text.delta", text: "b" },
    { type: "block.end" },
    { type: "thinking.delta", text: "t" },
    { type: "thinking.end", signature: "s", extra: { effort: "low" } },
    { type: "tool.start", id: "c", name: "read", extra: { caller: { type: "direct" } } },
    { type: "block.end" },
  ]);
});

test("token counts are cumulative: the newest is used, and a missing one is kept", () => {
  const decoded = decode([
    {
      type: "message_start",
      message: { usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 4 } },
    },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { input_tokens: null, output_tokens: 9 },
    },
    { type: "message_stop" },
  ]);
  const usage = { tokensIn: 5, tokensOut: 9, cacheWrites: 0, cacheReads: 4, cost: null };
  expect(decoded.at(-1)).toEqual({ type: "finished", stopReason: "end_turn", usage });
});

test.each([1e308, Number.MAX_VALUE, -1, "9"])(
  "the token count %j is ignored: cost and counts stay finite",
  (count) => {
    const price = { input: 15, output: 75, cacheWrite: 20, cacheRead: 1 };
    const decoder = new ResponseDecoder(price, 1_000);
    const decoded = [
      { type: "message_start", message: { usage: { input_tokens: 1_000_000, output_tokens: count } } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { input_tokens: count } },
      { type: "message_stop" },
    ].flatMap((event) => decoder.decode(event));
    const usage = { tokensIn: 1_000_000, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 15 };
    expect(decoded.at(-1)).toEqual({ type: "finished", stopReason: "end_turn", usage });
  },
);

test("nothing is decoded after the end", () => {
  const decoder = new ResponseDecoder(undefined, 1_000);
  decoder.decode({ type: "message_delta", delta: { stop_reason: "end_turn" } });
  expect(decoder.decode({ type: "message_stop" }).map(({ type }) => type)).toEqual(["finished"]);
  expect([decoder.done, decoder.decode(7)]).toEqual([true, []]);
});

test.each(["\n", "\r\n", "\r"])(
  "an event stream with line breaks %j is parsed the same, cut anywhere",
  (lineBreak) => {
    const lines = [
      ": comment",
      "event: a",
      "data: 1",
      "data:2",
      "",
      "id: 7",
      "",
      "event:b",
      "data: é",
      "",
      "",
    ];
    const bytes = Buffer.from(`\ufeff${lines.join(lineBreak)}\n`);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const parser = new EventStreamParser(1_000_000);
      expect([...parser.push(bytes.subarray(0, cut)), ...parser.push(bytes.subarray(cut))]).toEqual([
        { type: "a", data: "1\n2" },
        { type: "b", data: "é" },
      ]);
    }
  },
);
