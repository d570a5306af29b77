import assert from "node:assert/strict";
import { ModelError } from "../actors/llm/model-error.ts";
import type { AssistantBlock, Entry } from "../machines/conversation/entry.ts";
import type { ChatModel, ModelEvent, ModelRequest, ModelTool } from "../ports/model.ts";

/** A block of a response, in no dialect. The chunks of a text or of arguments are sent one by one. */
export type ReplyBlock =
  | { readonly type: "text"; readonly chunks: readonly string[] }
  | { readonly type: "thinking"; readonly chunks: readonly string[] }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      /** JSON of the arguments, perhaps cut. */
      readonly chunks: readonly string[];
    };

/** The reply of an endpoint to one request. */
export type EndpointReply =
  | {
      readonly blocks: readonly ReplyBlock[];
      /** `limit`: cut at the output limit. `cut`: the connection ends. `silence`: nothing follows. */
      readonly end: "stop" | "calls" | "limit" | "cut" | "silence";
      readonly usage?: { readonly input: number; readonly output: number; readonly cached: number };
    }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly problem: "too long" | "other";
    };

/** A model whose endpoint gives the replies in order, one to a request. */
export interface OpenedModel {
  readonly model: ChatModel;
  /** The bodies of the requests so far. */
  readonly bodies: () => readonly string[];
  /** Resolves when the connection of the last request has ended. */
  readonly disconnected: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Factory of the models under test. */
export interface ModelUnderTest {
  open(replies: readonly EndpointReply[]): Promise<OpenedModel>;
  /** Whether the arguments of a call stream in chunks, so that they can be cut. */
  readonly streamsArguments: boolean;
  /** A text that goes back to its endpoint with its thinking; undefined if none does. */
  readonly returnedThought: string | undefined;
}

/** One requirement. `run` rejects with an AssertionError if a model does not meet it. */
export interface ModelCase {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/**
 * The requirements of every model, independent of a test framework: run each case under its title. Each case opens its own
 * model and closes it.
 *
 * @example
 * ```ts
 * import { type ModelUnderTest, modelConformance } from "signalbox/testing";
 * async function check(mine: ModelUnderTest): Promise<void> {
 *   for (const { run } of modelConformance(mine)) await run();
 * }
 * ```
 */
export function modelConformance(under: ModelUnderTest): readonly ModelCase[] {
  const cases = [
    ...CASES,
    ...(under.streamsArguments ? ARGUMENT_CASES : []),
    ...(under.returnedThought === undefined ? [] : [thinkingCase(under.returnedThought)]),
  ];
  return cases.map(([title, replies, check]) => ({
    title,
    run: async () => {
      const opened = await under.open(replies);
      try {
        await check(opened);
      } finally {
        await opened.close();
      }
    },
  }));
}

type Case = readonly [title: string, replies: readonly EndpointReply[], check: Check];
type Check = (opened: OpenedModel) => Promise<void>;

const LOOK: ModelTool = {
  name: "look",
  description: "Looks at a place.",
  input_schema: {
    type: "object",
    properties: { at: { type: "string", description: "The place." } },
    required: ["at"],
  },
};
const user = (text: string): Entry => ({ role: "user", content: [{ type: "text", text }] });
const request = (messages: readonly Entry[] = [user("Hello")]): ModelRequest => ({
  system: ["You are a conformance test."],
  messages,
  tools: [LOOK],
});
const call = (id: string, ...chunks: readonly string[]): ReplyBlock => ({
  type: "call",
  id,
  name: "look",
  chunks,
});
const text = (...chunks: readonly string[]): ReplyBlock => ({ type: "text", chunks });
const never = new AbortController().signal;

/** The smallest PNG. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

async function eventsOf({ model }: OpenedModel, sent = request()): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(sent, never)) events.push(event);
  return events;
}

async function errorOf(opened: OpenedModel): Promise<ModelError> {
  const events = await eventsOf(opened).catch((error: unknown) => error);
  if (events instanceof ModelError) return events;
  return assert.fail(`Expected a ModelError, got ${JSON.stringify(events)}.`);
}

/** The calls of a response: the arguments of each, joined. */
function callsIn(events: readonly ModelEvent[]): readonly { name: string; json: string }[] {
  const calls: { name: string; json: string }[] = [];
  for (const event of events) {
    if (event.type === "tool.start") calls.push({ name: event.name, json: "" });
    const last = calls.at(-1);
    if (event.type === "tool.delta" && last !== undefined) last.json += event.json;
  }
  return calls;
}

const textIn = (events: readonly ModelEvent[], type: "text.delta" | "thinking.delta"): string =>
  events.map((event) => (event.type === type ? event.text : "")).join("");

function assertFinished(events: readonly ModelEvent[], stopReason: string): void {
  assert.deepEqual(
    events.flatMap((event, at) => (event.type === "finished" ? [[at, event.stopReason]] : [])),
    [[events.length - 1, stopReason]],
    "exactly one finished comes, and it is last",
  );
}

const fails = (
  title: string,
  reply: EndpointReply,
  expected: { readonly code: string; readonly retryable: boolean; readonly retryAfterMs?: number },
): Case => [
  title,
  [reply],
  async (opened) => {
    const { code, retryable, retryAfterMs } = await errorOf(opened);
    assert.deepEqual({ code, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) }, expected);
  },
];

const CASES: readonly Case[] = [
  [
    "text streams in the order of its chunks, and exactly one end comes last",
    [{ blocks: [text("Hel", "lo, ", "naïve 👋")], end: "stop" }],
    async (opened) => {
      const events = await eventsOf(opened);
      assert.equal(textIn(events, "text.delta"), "Hello, naïve 👋");
      assertFinished(events, "end_turn");
    },
  ],
  [
    "the system prompt, the conversation and the tools are sent",
    [{ blocks: [text("Yes.")], end: "stop" }],
    async (opened) => {
      await eventsOf(opened, request([user("Is it there?")]));
      const [body = ""] = opened.bodies();
      for (const part of [
        "You are a conformance test.",
        "Is it there?",
        "look",
        "Looks at a place.",
        "The place.",
      ])
        assert.ok(body.includes(part), `the request has ${part}`);
    },
  ],
  [
    "the calls of one response follow each other, each with its own arguments",
    [
      {
        blocks: [text("I look."), call("call_1", '{"at":"here"}'), call("call_2", '{"at":"there"}')],
        end: "calls",
      },
    ],
    async (opened) => {
      const events = await eventsOf(opened);
      assert.deepEqual(
        callsIn(events).map(({ name, json }) => [name, JSON.parse(json)]),
        [
          ["look", { at: "here" }],
          ["look", { at: "there" }],
        ],
      );
      assertFinished(events, "tool_use");
    },
  ],
  [
    "the results of calls are sent with their calls, and an error as one",
    [{ blocks: [text("Done.")], end: "stop" }],
    async (opened) => {
      const input = { at: "here" };
      await eventsOf(
        opened,
        request([
          user("Look."),
          { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "look", input }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "call_1",
                content: [{ type: "text", text: "nothing there" }],
                is_error: true,
              },
            ],
          },
        ]),
      );
      const [body = ""] = opened.bodies();
      for (const part of ["nothing there", "here"]) assert.ok(body.includes(part), `the request has ${part}`);
    },
  ],
  [
    "an image of the user and one of a tool result are sent",
    [{ blocks: [text("A dot.")], end: "stop" }],
    async (opened) => {
      const image = {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: PNG },
      } as const;
      await eventsOf(
        opened,
        request([
          { role: "user", content: [image, { type: "text", text: "What is it?" }] },
          { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "look", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: [image] }] },
        ]),
      );
      assert.equal(opened.bodies()[0]?.split(PNG).length, 3, "the request has both images");
    },
  ],
  [
    "the tokens of the request, of the cache and of the response are counted apart",
    [{ blocks: [text("Yes.")], end: "stop", usage: { input: 100, output: 7, cached: 40 } }],
    async (opened) => {
      const last = (await eventsOf(opened)).at(-1);
      assert.ok(last?.type === "finished");
      const { tokensIn, tokensOut, cacheReads } = last.usage;
      assert.deepEqual({ tokensIn, tokensOut, cacheReads }, { tokensIn: 60, tokensOut: 7, cacheReads: 40 });
    },
  ],
  fails(
    "a stream that ends without its end is a failure (L4)",
    { blocks: [text("Hel")], end: "cut" },
    { code: "stream_cut", retryable: true },
  ),
  fails(
    "401 is a failure of the key, which is not retried",
    { status: 401, problem: "other" },
    { code: "authentication_error", retryable: false },
  ),
  fails(
    "429 is retried after the delay that the endpoint names",
    { status: 429, problem: "other", headers: { "retry-after": "7" } },
    { code: "rate_limit_error", retryable: true, retryAfterMs: 7_000 },
  ),
  fails("500 is retried", { status: 500, problem: "other" }, { code: "api_error", retryable: true }),
  fails(
    "400 is not retried",
    { status: 400, problem: "other" },
    { code: "invalid_request_error", retryable: false },
  ),
  fails(
    "a request that is longer than the window has a code of its own",
    { status: 400, problem: "too long" },
    { code: "prompt_too_long", retryable: false },
  ),
  [
    "an abort ends a silent stream without an error, and its connection",
    [{ blocks: [text("Hel")], end: "silence" }],
    async (opened) => {
      const abort = new AbortController();
      const seen: string[] = [];
      for await (const { type } of opened.model.stream(request(), abort.signal)) {
        seen.push(type);
        if (type === "text.delta") abort.abort();
      }
      assert.ok(!seen.includes("finished"));
      await opened.disconnected();
    },
  ],
  [
    "an abort before the response ends the request without an error",
    [{ blocks: [], end: "silence" }],
    async (opened) => {
      const abort = new AbortController();
      const stream = opened.model.stream(request(), abort.signal)[Symbol.asyncIterator]();
      const first = stream.next();
      abort.abort();
      assert.deepEqual(await first, { done: true, value: undefined });
    },
  ],
];

const ARGUMENT_CASES: readonly Case[] = [
  [
    "arguments come in chunks",
    [{ blocks: [call("call_1", '{"at"', ':"he', 're"}')], end: "calls" }],
    async (opened) => {
      const events = await eventsOf(opened);
      assert.equal(callsIn(events)[0]?.json, '{"at":"here"}');
      assertFinished(events, "tool_use");
    },
  ],
  [
    "arguments that are cut at the output limit stay cut, and the stop reason says so (L7)",
    [{ blocks: [call("call_1", '{"at":"here"', ', "and":"the')], end: "limit" }],
    async (opened) => {
      const events = await eventsOf(opened);
      assert.equal(callsIn(events)[0]?.json, '{"at":"here", "and":"the');
      assertFinished(events, "max_tokens");
    },
  ],
  fails(
    "a stream that ends within arguments is a failure (L4, L7)",
    { blocks: [call("call_1", '{"at":"here"}')], end: "cut" },
    { code: "stream_cut", retryable: true },
  ),
];

const thinkingCase = (returned: string): Case => [
  "thinking is apart from the text, and goes back to its model as it came",
  [
    {
      blocks: [{ type: "thinking", chunks: ["Let me ", "think."] }, call("call_1", '{"at":"here"}')],
      end: "calls",
    },
    { blocks: [text("Done.")], end: "stop" },
  ],
  async (opened) => {
    const events = await eventsOf(opened);
    assert.equal(textIn(events, "thinking.delta"), "Let me think.");
    assert.equal(textIn(events, "text.delta"), "");
    const end = events.find((event) => event.type === "thinking.end");
    assert.ok(end !== undefined && end.signature !== "", "its end has a signature");
    const start = events.find((event) => event.type === "tool.start");
    const ended = events.find((event) => event.type === "block.end");
    const content: AssistantBlock[] = [
      { ...end.extra, type: "thinking", thinking: "Let me think.", signature: end.signature },
      {
        ...start?.extra,
        ...ended?.extra,
        type: "tool_use",
        id: "call_1",
        name: "look",
        input: { at: "here" },
      },
    ];
    await eventsOf(
      opened,
      request([
        user("Look."),
        { role: "assistant", content },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "call_1", content: [{ type: "text", text: "ok" }] }],
        },
      ]),
    );
    assert.ok(opened.bodies()[1]?.includes(returned), "the next request has what the endpoint needs of it");
  },
];
