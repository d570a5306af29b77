import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { ModelError } from "../../../actors/index.ts";
import { EventStreamParser, parseData } from "../../../adapters/anthropic/event-stream.ts";
import { anthropic } from "../../../adapters/index.ts";

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

describe("what arrives in one chunk", () => {
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
