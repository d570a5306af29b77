import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { ModelError } from "../../../actors/llm/model-error.ts";
import { EventStreamParser, parseData } from "../../../adapters/anthropic/event-stream.ts";
import { anthropic } from "../../../adapters/index.ts";
import type { ModelEvent } from "../../../ports/model.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const delta = (index: number, text: string): string =>
  JSON.stringify({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
/** The value, or that there is none. */
function outcomeOf(parse: (data: string) => unknown, data: string): unknown {
  try {
    return { value: parse(data) };
  } catch (error) {
    return error instanceof SyntaxError ? "SyntaxError" : error;
  }
}

describe("the data of an event is parsed as JSON.parse does", () => {
  test.prop([fc.nat(), fc.oneof(fc.string(), fc.string({ unit: "binary" })), fc.stringMatching(/^ {0,8}$/)])(
    "for a delta of text, also with the padding that the API adds",
    (index, text, padding) => {
      const data = `${delta(index, text).slice(0, -1)}${padding}}`;
      expect(parseData(data)).toEqual(JSON.parse(data));
    },
  );

  test.prop([fc.nat(99), fc.string(), fc.nat(120), fc.string({ maxLength: 3 })])(
    "for a delta with a character replaced",
    (index, text, at, other) => {
      const whole = delta(index, text);
      const data = `${whole.slice(0, at)}${other}${whole.slice(at + 1)}`;
      expect(outcomeOf(parseData, data)).toEqual(outcomeOf(JSON.parse, data));
    },
  );

  test.each([
    delta(0, "a").replace(":0,", ":00,"),
    `${delta(0, "a")}x`,
    delta(0, "a").replace('"a"', '"\t"'),
  ])("for data that is not JSON: %j", (data) => {
    expect(() => parseData(data)).toThrow(SyntaxError);
  });
});

describe("an event of a response is bounded (L14)", () => {
  const endless = (parser: EventStreamParser, chunk: string) => () => {
    for (let count = 0; count < 100; count += 1) parser.push(bytes(chunk));
  };

  test.each([
    ["a line without an end", "data: aaaaaaaaaa"],
    ["an event of many lines", "data: aaaaaaaaaa\n"],
  ])("%s", (_, chunk) => {
    expect(endless(new EventStreamParser(1_000), chunk)).toThrow("at most 1000 characters");
  });

  test("events of that size are as many as come", () => {
    expect(endless(new EventStreamParser(1_000), `data: ${"a".repeat(900)}\n\n`)).not.toThrow();
  });
});

describe("a stream of a gateway", () => {
  const message = [
    { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "ping" },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Naïve 👋" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
  type Form = (event: { readonly type: string }) => readonly string[];
  const forms: Readonly<Record<string, Form>> = {
    "with the names of events": (event) => [`event: ${event.type}`, `data: ${JSON.stringify(event)}`, ""],
    "without them": (event) => [`data: ${JSON.stringify(event)}`, ""],
    "with a blank line after them": (event) => [
      `event: ${event.type}`,
      "",
      `data: ${JSON.stringify(event)}`,
      "",
    ],
    "with the names after the data": (event) => [`data:${JSON.stringify(event)}`, `event:${event.type}`, ""],
    "with the types only beside the data": ({ type, ...event }) => [
      `event: ${type}`,
      `data: ${JSON.stringify(event)}`,
      "",
    ],
    "with a name that is none of theirs": (event) => ["event: message", `data: ${JSON.stringify(event)}`, ""],
    "with comments, ids, retries and data of many lines": (event) => [
      ": comment",
      "retry: 10",
      "id: 7",
      ...JSON.stringify(event, null, 1)
        .split("\n")
        .map((line) => `data: ${line}`),
      "",
      "",
    ],
  };
  const streamOf = (form: Form, lineEnd: string, start = ""): Uint8Array =>
    new TextEncoder().encode(
      start +
        message
          .flatMap(form)
          .map((line) => line + lineEnd)
          .join(""),
    );

  /** The events that a model makes of a body in these chunks. */
  async function read(chunks: Iterable<Uint8Array>): Promise<readonly ModelEvent[]> {
    const headers = { "content-type": "text/event-stream" };
    const fetch = async () => new Response(ReadableStream.from(chunks), { headers });
    const events: ModelEvent[] = [];
    const model = anthropic({ model: "m", apiKey: "k", fetch });
    const request = { system: [], messages: [], tools: [] };
    for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
    return events;
  }
  const textOf = (events: readonly ModelEvent[]): string =>
    events.map((event) => (event.type === "text.delta" ? event.text : "")).join("");

  const cases = Object.entries(forms).flatMap(([name, form]) =>
    ["\n", "\r\n", "\r"].map((lineEnd) => [name, lineEnd, form] as const),
  );
  test.each(cases)("%s, and lines that end with %j, is read", async (_, lineEnd, form) => {
    const events = await read([streamOf(form, lineEnd)]);
    expect(textOf(events)).toBe("Naïve 👋");
    expect(events.at(-1)).toMatchObject({ type: "finished", stopReason: "end_turn" });
  });

  test.prop([
    fc.constantFrom(...Object.values(forms)),
    fc.constantFrom("\n", "\r\n", "\r"),
    fc.constantFrom("", "\ufeff", "\n", "\r\n\r\n"),
    fc.array(fc.nat(400), { maxLength: 12 }),
  ])("is read the same, cut anywhere", async (form, lineEnd, start, cuts) => {
    const bytes = streamOf(form, lineEnd, start);
    const at = [
      0,
      ...cuts.map((cut) => Math.min(cut * 3, bytes.length)).toSorted((a, b) => a - b),
      bytes.length,
    ];
    const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
    const events = await read(chunks.filter(({ length }) => length > 0));
    expect(textOf(events)).toBe("Naïve 👋");
    expect(events.at(-1)?.type).toBe("finished");
  });

  test.each(["\n", "\r\n", "\r"])("is read byte by byte, with lines that end with %j", async (lineEnd) => {
    const bytes = streamOf(forms["without them"] ?? (() => []), lineEnd);
    const events = await read([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(textOf(events)).toBe("Naïve 👋");
    expect(events.at(-1)?.type).toBe("finished");
  });

  test("gives an event when its last line ends, also with a carriage return", () => {
    const parser = new EventStreamParser(1_000);
    expect(parser.push(bytes("data: 1\r\r"))).toEqual([{ type: "", data: "1" }]);
    expect(parser.push(bytes("\ndata: 2\r\n\r"))).toEqual([{ type: "", data: "2" }]);
    expect(parser.push(bytes("\n"))).toEqual([]);
  });

  test.each([
    '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}',
    '{"error":{"type":"overloaded_error","message":"busy"}}',
  ])("with the error %s in data without a name fails with its words", async (data) => {
    await expect(read([bytes(`data: ${data}\n\n`)])).rejects.toMatchObject({
      code: "overloaded_error",
      message: "busy",
    });
  });

  test("with the mark [DONE] before its end is cut (L4)", async () => {
    await expect(read([bytes("data: [DONE]\n\n")])).rejects.toMatchObject({ code: "stream_cut" });
  });
});

describe("the events of one chunk", () => {
  const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  const chunkOf = (...data: readonly string[]): string =>
    data.map((each) => `event: ${JSON.parse(each).type}\ndata: ${each}\n\n`).join("");

  async function read(chunk: string): Promise<readonly unknown[]> {
    const model = anthropic({
      model: "m",
      apiKey: "k",
      fetch: async () => new Response(chunk, { headers: { "content-type": "text/event-stream" } }),
    });
    const events: unknown[] = [];
    try {
      const request = { system: [], messages: [], tools: [] };
      for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
    } catch (error) {
      events.push(error instanceof ModelError ? error.code : error);
    }
    return events;
  }

  test("is one delta per block, and comes before the failure behind it", async () => {
    expect(await read(chunkOf(JSON.stringify(block), delta(0, "a"), delta(0, "b"), delta(7, "c")))).toEqual([
      { type: "text.delta", text: "ab" },
      "bad_stream",
    ]);
  });
});
