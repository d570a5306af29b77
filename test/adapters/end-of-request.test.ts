import { getEventListeners } from "node:events";
import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { PartDecoder } from "../../adapters/ai-sdk/part-decoder.ts";
import { ResponseDecoder } from "../../adapters/anthropic/decoder.ts";
import { EventStreamParser } from "../../adapters/anthropic/event-stream.ts";
import { anthropic, google, openAICompatible, openai, xmlTools } from "../../adapters/index.ts";
import { XmlParser } from "../../adapters/xml-tools/parser.ts";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import type { EndpointReply } from "../../testing/index.ts";
import { anthropicMessages } from "../support/dialects/anthropic.ts";
import { google as googleDialect } from "../support/dialects/google.ts";
import { openaiChat } from "../support/dialects/openai-chat.ts";
import { openaiResponses } from "../support/dialects/openai-responses.ts";
import { type Dialect, openEndpoint } from "../support/dialects/server.ts";

interface Made {
  readonly baseURL: string;
  readonly fetch?: typeof fetch;
}

const common = { model: "m", apiKey: "key" };
const models: Readonly<Record<string, [Dialect, (made: Made) => ChatModel]>> = {
  "anthropic()": [anthropicMessages, (made) => anthropic({ ...common, ...made })],
  "openai()": [openaiResponses, (made) => openai({ ...common, ...made })],
  "google()": [googleDialect, (made) => google({ ...common, ...made })],
  "openAICompatible()": [openaiChat, (made) => openAICompatible({ ...common, ...made })],
  "xmlTools()": [openaiChat, (made) => xmlTools(openAICompatible({ ...common, ...made }))],
};

const chunks = Array.from({ length: 2_000 }, (_, index) => `word ${index} `);
const long = (end: "stop" | "cut" | "silence"): EndpointReply => ({
  blocks: [{ type: "text", chunks }],
  end,
});

/** The classes that buffer a response, each with the method that reads its next part. */
const PARSERS: readonly (readonly [prototype: object, method: string])[] = [
  [EventStreamParser.prototype, "push"],
  [ResponseDecoder.prototype, "decode"],
  [PartDecoder.prototype, "decode"],
  [XmlParser.prototype, "push"],
];

/** The parsers that read something from now on. */
function watchParsers(): readonly WeakRef<object>[] {
  const parsers: WeakRef<object>[] = [];
  const seen = new WeakSet<object>();
  for (const [prototype, method] of PARSERS) {
    const read: unknown = Reflect.get(prototype, method);
    if (typeof read !== "function") throw new Error(`There is no method ${method}.`);
    Reflect.set(prototype, method, function (this: object, ...parts: readonly unknown[]): unknown {
      if (!seen.has(this)) parsers.push(new WeakRef(this));
      seen.add(this);
      return Reflect.apply(read, this, parts);
    });
    onTestFinished(() => void Reflect.set(prototype, method, read));
  }
  return parsers;
}

const kept = (refs: readonly WeakRef<object>[]): number =>
  refs.filter((ref) => ref.deref() !== undefined).length;

/** The listeners on the signal of a request: the most while it ran, and those after its end. */
async function listenersOf(model: ChatModel, isEnough: (event: ModelEvent, count: number) => boolean) {
  const abort = new AbortController();
  const { signal } = abort;
  const count = () => getEventListeners(signal, "abort").length;
  let [most, events] = [0, 0];
  try {
    for await (const event of model.stream({ system: [], messages: [], tools: [] }, signal)) {
      most = Math.max(most, count());
      events += 1;
      if (isEnough(event, events)) abort.abort();
    }
  } catch {
    // It failed, as it should.
  }
  await turnOfEventLoop();
  return { most, after: count() };
}

describe.each(Object.entries(models))("a request of %s", (_, [dialect, modelAt]) => {
  const open = async (reply: EndpointReply) => {
    const endpoint = await openEndpoint(dialect, [reply, reply, reply, reply]);
    onTestFinished(() => endpoint.close());
    return endpoint.url;
  };

  test.each(["stop", "cut", "silence"] as const)(
    "has few listeners on its signal, however long it is, and none after its end: %s",
    async (end) => {
      const model = modelAt({ baseURL: await open(long(end)) });
      const listeners = await listenersOf(model, ({ type }) => end === "silence" && type === "text.delta");
      expect(listeners.most).toBeLessThanOrEqual(2);
      expect(listeners.after).toBe(0);
    },
  );

  test("keeps nothing of a response that was aborted", async () => {
    const bodies: WeakRef<object>[] = [];
    const watched: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (response.body !== null) bodies.push(new WeakRef(response.body));
      return response;
    };
    const model = modelAt({ baseURL: await open(long("silence")), fetch: watched });
    const parsers = watchParsers();
    for (let request = 0; request < 4; request += 1)
      await listenersOf(model, ({ type }) => type === "text.delta");
    await turnOfEventLoop();
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    await turnOfEventLoop();
    runInNewContext("gc")();
    expect(bodies).toHaveLength(4);
    expect(parsers.length).toBeGreaterThanOrEqual(4);
    // The engine may keep the body and the parsers of the last request for a while.
    expect(kept(bodies)).toBeLessThanOrEqual(1);
    expect(kept(parsers)).toBeLessThanOrEqual(parsers.length / 4);
  });
});
