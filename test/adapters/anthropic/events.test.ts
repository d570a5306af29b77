import { expect, test } from "vitest";
import type { ModelError, ModelEvent } from "../../../actors/llm/index.ts";
import { RawAnswer } from "../../../adapters/anthropic/events.ts";

function fold(events: readonly unknown[], takeEach = false): readonly ModelEvent[] {
  const answer = new RawAnswer(undefined);
  const said: ModelEvent[] = [];
  for (const event of events) {
    answer.push(event);
    if (takeEach) said.push(...answer.take());
  }
  return [...said, ...answer.take()];
}
const start = (index: number, block: unknown) => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: number, piece: unknown) => ({ type: "content_block_delta", index, delta: piece });
const stop = (index: number) => ({ type: "content_block_stop", index });
const text = (words: unknown) => ({ type: "text_delta", text: words });
const json = (piece: string) => ({ type: "input_json_delta", partial_json: piece });

test("deltas between two batches are one event", () => {
  const events = [start(0, { type: "text", text: "" }), delta(0, text("a")), delta(0, text("b")), stop(0)];
  expect(fold(events)).toEqual([{ type: "text.delta", text: "ab" }, { type: "block.end" }]);
  expect(fold(events, true)).toEqual([
    { type: "text.delta", text: "a" },
    { type: "text.delta", text: "b" },
    { type: "block.end" },
  ]);
});

test.each([false, true])("what stands in a block's start counts, batch by batch: %s", (takeEach) => {
  const tool = { type: "tool_use", id: "i", name: "n" };
  expect(fold([start(0, { type: "text", text: "a" }), stop(0)], takeEach)[0]).toEqual({
    type: "text.delta",
    text: "a",
  });
  const given = [start(0, { ...tool, input: { a: 1 } }), stop(0)];
  expect(fold(given, takeEach)[1]).toEqual({ type: "tool.delta", json: '{"a":1}' });
  const streamed = [
    start(0, { ...tool, input: { a: 1 } }),
    delta(0, json("")),
    delta(0, json("{}")),
    stop(0),
  ];
  expect(fold(streamed, takeEach).filter(({ type }) => type === "tool.delta")).toEqual([
    { type: "tool.delta", json: "{}" },
  ]);
});

test.each<[string, unknown[]]>([
  ["a delta without a block", [delta(0, text("a"))]],
  ["a delta of a block that is not open", [start(0, { type: "text" }), delta(1, text("a"))]],
  ["a delta behind its block's stop", [start(0, { type: "text" }), stop(0), delta(0, text("a"))]],
  ["arguments in a text block", [start(0, { type: "text" }), delta(0, json("{}"))]],
  ["words that are no string", [start(0, { type: "text" }), delta(0, text(7))]],
  ["a call without an id", [start(0, { type: "tool_use", name: "n" })]],
  ["a number for an event", [7]],
  ["an end without a stop reason", [{ type: "message_stop" }]],
  [
    "an unknown stop reason",
    [{ type: "message_delta", delta: { stop_reason: "bored" } }, { type: "message_stop" }],
  ],
])("%s is no streaming protocol: bad_stream, with what was expected", (_name, events) => {
  const attempt = () => fold(events);
  expect(attempt).toThrow(
    expect.objectContaining<Partial<ModelError>>({ code: "bad_stream", retryable: true }),
  );
  expect(attempt).toThrow(/expected .+, got .+/);
});

test("blocks and events of kinds that nobody knows are passed over", () => {
  const events = [
    { type: "later_invention", x: 1 },
    start(0, { type: "server_tool_use", id: "s", name: "web" }),
    delta(0, json("{}")),
    stop(0),
    start(1, { type: "text" }),
    delta(1, { type: "citations_delta", citation: {} }),
    delta(1, text("a")),
    stop(1),
  ];
  expect(fold(events)).toEqual([{ type: "text.delta", text: "a" }, { type: "block.end" }]);
});

test("counts are cumulative: the newest number stands, and what is not told stays", () => {
  const said = fold([
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
  const usage = { tokensIn: 5, tokensOut: 9, cacheWrites: 0, cacheReads: 4, cost: 0 };
  expect(said.at(-1)).toEqual({ type: "finished", stopReason: "end_turn", usage });
});

test("nothing counts after the end", () => {
  const answer = new RawAnswer(undefined);
  answer.push({ type: "message_delta", delta: { stop_reason: "end_turn" } });
  answer.push({ type: "message_stop" });
  answer.push(7);
  expect([answer.done, answer.take().map(({ type }) => type)]).toEqual([true, ["finished"]]);
});
