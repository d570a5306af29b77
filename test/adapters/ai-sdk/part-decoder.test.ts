import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { ModelError } from "../../../actors/llm/model-error.ts";
import { languageModel } from "../../../adapters/index.ts";
import type { ModelEvent, ModelRequest } from "../../../ports/model.ts";
import { settle } from "../../actors/protocol/host.ts";
import { stillClock } from "../../support/still-clock.ts";

type Part = Readonly<Record<string, unknown>>;

const request: ModelRequest = { system: [], messages: [], tools: [] };
const finish = (unified: string, raw: string | undefined = unified): Part => ({
  type: "finish",
  finishReason: { unified, raw },
  usage: {
    inputTokens: { total: 10, noCache: 6, cacheRead: 3, cacheWrite: 1 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
});
const start = (id: string): Part => ({ type: "tool-input-start", id, toolName: "look" });
const delta = (id: string, json: string): Part => ({ type: "tool-input-delta", id, delta: json });
const end = (id: string): Part => ({ type: "tool-input-end", id });
const whole = (id: string, input: unknown): Part => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "look",
  input,
});
/** A chunk of Chat Completions with a piece of arguments. */
const raw = (json: string): Part => ({
  type: "raw",
  rawValue: { choices: [{ delta: { tool_calls: [{ function: { arguments: json } }] } }] },
});
/** The end of a response that calls `a`. */
const rest = [end("a"), whole("a", "{}"), { type: "finish", finishReason: { unified: "stop", raw: "stop" } }];
const streamed = (json: string, input: unknown): readonly Part[] => [
  start("a"),
  delta("a", json),
  end("a"),
  whole("a", input),
  finish("tool-calls"),
];
const text = (value: string, id = "t"): Part => ({ type: "text-delta", id, delta: value });

/** A model that streams these parts. */
const modelOf = (parts: readonly unknown[], options = {}) =>
  languageModel(
    {
      specificationVersion: "v4",
      provider: "parts",
      modelId: "parts-1",
      doStream: async () => ({ stream: ReadableStream.from(parts) }),
    },
    { clock: stillClock(), ...options },
  );

async function decode(...parts: readonly unknown[]): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of modelOf(parts).stream(request, new AbortController().signal)) events.push(event);
  return events;
}

const shown = (events: readonly ModelEvent[]): string =>
  events
    .map((event) => {
      if (event.type === "text.delta") return event.text;
      if (event.type === "tool.start") return `<${event.id}>`;
      if (event.type === "tool.delta") return event.json;
      return event.type === "block.end" ? ";" : "";
    })
    .join("");

describe("the parts of a stream", () => {
  test("of two calls that overlap are two calls, one after the other (L6)", async () => {
    const events = await decode(
      start("a"),
      delta("a", "{"),
      start("b"),
      delta("b", "{}"),
      delta("a", "}"),
      end("b"),
      end("a"),
      finish("tool-calls"),
    );
    expect(shown(events)).toBe("<a>{};<b>{};");
  });

  test("of a text within a call follow the call, and the text before it ends with its start", async () => {
    const parts = [text("1"), start("a"), text("2"), delta("a", "{}"), end("a"), text("3"), finish("stop")];
    const events = await decode(...parts);
    expect(shown(events)).toBe("1;<a>{};23;");
    expect(events.at(-1)).toMatchObject({ type: "finished", stopReason: "tool_use" });
  });

  test("of a call that was cut stay cut: the whole call that follows them is not used (L7)", async () => {
    const events = await decode(
      start("a"),
      delta("a", '{"at":"h'),
      end("a"),
      whole("a", '{"at":"h"}'),
      finish("length"),
    );
    expect(shown(events)).toBe('<a>{"at":"h;');
    expect(events.at(-1)).toMatchObject({ type: "finished", stopReason: "max_tokens" });
  });

  test.each<[string, unknown]>([
    ["text", '{"at":"h"}'],
    ["an object", { at: "h" }],
  ])("have a call as a whole, as %s, where its provider streams no arguments", async (_, input) => {
    expect(shown(await decode(whole("a", input), finish("tool-calls")))).toBe('<a>{"at":"h"};');
    expect(shown(await decode(start("a"), end("a"), whole("a", input), finish("tool-calls")))).toBe(
      '<a>{"at":"h"};',
    );
  });

  test.each<[string, unknown]>([
    ["in another form", '{ "b": [1.0], "a": "x" }'],
    ["as an object", { b: [1], a: "x" }],
  ])("have one call where the whole call repeats the arguments %s", async (_, input) => {
    const events = await decode(...streamed('{"a":"x","b":[1]}', input));
    expect(shown(events)).toBe('<a>{"a":"x","b":[1]};');
  });

  test("of two calls of one id, one after the other, are two calls", async () => {
    const events = await decode(
      ...[start("a"), delta("a", '{"at":1}'), end("a"), whole("a", '{"at":1}')],
      ...[start("a"), delta("a", '{"at":2}'), end("a"), whole("a", '{"at":2}')],
      whole("a", '{"at":3}'),
      finish("tool-calls"),
    );
    expect(shown(events)).toBe('<a>{"at":1};<a>{"at":2};<a>{"at":3};');
  });

  test("keep the metadata of each block, from all its parts", async () => {
    const metadata = (fields: Part): Part => ({ providerMetadata: { parts: fields } });
    const events = await decode(
      { type: "reasoning-start", id: "r", ...metadata({ one: 1 }) },
      { type: "reasoning-end", id: "r", ...metadata({ two: "2" }) },
      { ...text("Hi"), ...metadata({ item: "t" }) },
      start("a"),
      end("a"),
      { type: "tool-call", toolCallId: "a", toolName: "look", input: "{}", ...metadata({ item: "a" }) },
      finish("tool-calls"),
    );
    expect(events.slice(0, -1)).toEqual([
      { type: "thinking.end", signature: '{"parts":{"one":1,"two":"2"}}' },
      { type: "text.delta", text: "Hi" },
      { type: "block.end", extra: { providerMetadata: { parts: { item: "t" } } } },
      { type: "tool.start", id: "a", name: "look" },
      { type: "tool.delta", json: "{}" },
      { type: "block.end", extra: { providerMetadata: { parts: { item: "a" } } } },
    ]);
  });

  test("that are not interpreted are opaque blocks, bytes as base64; ping and raw are none", async () => {
    const run = { toolCallId: "s", toolName: "search", providerExecuted: true };
    const events = await decode(
      { type: "ping" },
      { type: "raw", rawValue: {} },
      { type: "tool-input-start", id: "s", toolName: "search", providerExecuted: true },
      delta("s", "{}"),
      { type: "tool-call", ...run, input: "{}" },
      { type: "tool-result", toolCallId: "s", toolName: "search", result: ["found"] },
      { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2]) },
      { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "AQI=" } },
      { type: "custom", kind: "parts.note" },
      finish("stop"),
    );
    expect(events.flatMap((event) => (event.type === "opaque" ? [event.block] : []))).toEqual([
      { type: "tool-call", ...run, input: "{}" },
      { type: "tool-result", toolCallId: "s", toolName: "search", result: ["found"] },
      { type: "file", mediaType: "image/png", data: "AQI=" },
      { type: "reasoning-file", mediaType: "image/png", data: "AQI=" },
      { type: "custom", kind: "parts.note" },
    ]);
  });

  test("count the tokens of the cache apart", async () => {
    expect((await decode(text("Hi"), finish("stop"))).at(-1)).toEqual({
      type: "finished",
      stopReason: "end_turn",
      usage: { tokensIn: 6, tokensOut: 5, cacheWrites: 1, cacheReads: 3, cost: null },
    });
  });
});

describe("a stream that is not complete", () => {
  test.each([
    ["that ends without its end", [text("Hi")], "stream_cut"],
    [
      "whose end has no reason",
      [text("Hi"), { type: "finish", finishReason: { unified: "other" } }],
      "stream_cut",
    ],
    ["that was interrupted", [text("Hi"), finish("interrupted")], "stream_cut"],
    ["whose end has another reason", [finish("other", "MALFORMED_FUNCTION_CALL")], "api_error"],
    ["that a filter ended", [finish("content-filter")], "refusal"],
    ["with an error of the endpoint", [{ type: "error", error: { message: "Busy." } }], "api_error"],
    ["with a part that is no object", ["Hi"], "bad_stream"],
    ["with a delta that is no text", [{ type: "text-delta", id: "t", delta: 1 }], "bad_stream"],
    ["with two open calls of one id", [start("a"), start("a")], "bad_stream"],
    ["with arguments of an unknown id", [start("a"), delta("b", "{}"), ...rest], "bad_stream"],
    ["with arguments of a number", [start("a"), { ...delta("", "{}"), id: 0 }, ...rest], "bad_stream"],
    ["with arguments without an id", [start("a"), { type: "tool-input-delta", delta: "{}" }], "bad_stream"],
    ["with arguments before their call", [delta("a", "{}"), start("a"), ...rest], "bad_stream"],
    ["with arguments after their end", [start("a"), end("a"), delta("a", "{}"), ...rest], "bad_stream"],
    ["with an end before its start", [end("a"), start("a"), ...rest], "bad_stream"],
    ["whose whole call has arguments that did not stream", streamed("{}", '{"at":"h"}'), "bad_stream"],
    ["whose whole call has fewer arguments", streamed('{"at":"h"}', "{}"), "bad_stream"],
    ["whose whole call has none of the arguments", streamed('{"at":"h"}', undefined), "bad_stream"],
    ["whose whole call has a list for arguments", [whole("a", ["h"])], "bad_stream"],
    ["whose whole call has another name", [start("a"), { ...whole("a", "{}"), toolName: "b" }], "bad_stream"],
    ["with a whole call twice", [whole("a", "{}"), whole("a", "{}")], "bad_stream"],
    ["whose package left out arguments", [raw('{"at":'), start("a"), ...rest], "bad_stream"],
  ])("%s is a failure (L4)", async (_, parts, code) => {
    await expect(decode(...parts)).rejects.toMatchObject({ code });
  });

  test("is also one if more waits for the end of a call than is allowed (L14)", async () => {
    const model = modelOf([start("a"), text("x".repeat(100))], { waitingMaxChars: 50 });
    const read = async () => {
      for await (const _ of model.stream(request, new AbortController().signal));
    };
    await expect(read()).rejects.toMatchObject({ code: "bad_stream", retryable: false });
  });

  test.each<[string, () => Promise<{ stream: ReadableStream }>]>([
    ["response", () => new Promise(() => {})],
    ["part", async () => ({ stream: new ReadableStream() })],
  ])(
    "without a %s within the time limit is idle, also where the provider ignores its signal",
    async (_, doStream) => {
      const clock = stillClock();
      const model = languageModel(
        { specificationVersion: "v3", provider: "parts", modelId: "parts-1", doStream },
        { clock, idleTimeoutMs: 1_000 },
      );
      const ends: unknown[] = [];
      const first = model.stream(request, new AbortController().signal)[Symbol.asyncIterator]().next();
      first.then(
        (next) => ends.push(next),
        (error: unknown) => ends.push(error),
      );
      await settle();
      for (let quarter = 0; quarter < 5; quarter += 1) clock.advance(250);
      await settle();
      expect(ends).toMatchObject([{ code: "idle_timeout" }]);
    },
  );
});

const anyPart = fc.oneof(
  fc.constantFrom(start("a"), start("b"), end("a"), end("b"), finish("stop"), finish("length")),
  fc.constantFrom(delta("a", "{"), delta("b", "}"), text("x"), text("y", "u"), { type: "text-end", id: "t" }),
  fc.constantFrom({ type: "reasoning-start", id: "r" }, { type: "reasoning-end", id: "r" }, { type: "file" }),
  fc.jsonValue(),
);

property.prop([fc.array(anyPart)])(
  "any parts give events with one end, which is last, or a ModelError; deltas are within their call",
  async (parts) => {
    const events = await decode(...parts).catch((error: unknown) => error);
    if (!Array.isArray(events)) {
      expect(events).toBeInstanceOf(ModelError);
      return;
    }
    let isInCall = false;
    for (const { type } of events) {
      if (type === "tool.delta") expect(isInCall).toBe(true);
      else isInCall = type === "tool.start";
    }
    expect(events.findIndex(({ type }) => type === "finished")).toBe(events.length - 1);
  },
);
