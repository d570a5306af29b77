import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, expect } from "vitest";
import { anthropic } from "../../../adapters/anthropic/model.ts";
import { attempt, isTerminal, last } from "../../actors/llm/attempt.ts";

/** Sends these bytes in pieces to each client, then closes. */
let response: { readonly pieces: readonly Uint8Array[]; readonly reset: boolean } = {
  pieces: [],
  reset: false,
};
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => {
      for (const piece of response.pieces) socket.write(piece);
      if (response.reset) socket.resetAndDestroy();
      else socket.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("expected a port");
  url = `http://127.0.0.1:${address.port}`;
});
afterAll(() => void server.close());

async function terminalOf(pieces: readonly (string | Uint8Array)[], reset = false) {
  response = { pieces: pieces.map((piece) => Buffer.from(piece)), reset };
  const events = await attempt({
    model: anthropic({ model: "m", apiKey: "k", baseURL: url, idleTimeoutMs: 2_000 }),
  });
  expect(events.filter(isTerminal)).toEqual([last(events)]);
  return last(events);
}

const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const sse = (event: unknown): string => {
  const type = typeof event === "object" && event !== null && "type" in event ? event.type : "message";
  return `event: ${String(type)}\ndata: ${JSON.stringify(event)}\n\n`;
};

const settings = { numRuns: 60 };

test.prop([fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), fc.boolean()], settings)(
  "bytes that are not HTTP end in one failure",
  async (pieces, reset) => {
    expect((await terminalOf(pieces, reset)).type).toBe("llm.failed");
  },
);

test.prop([fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), fc.boolean()], settings)(
  "bytes that are not an event stream end in one failure",
  async (pieces, reset) => {
    expect((await terminalOf([head, ...pieces], reset)).type).toBe("llm.failed");
  },
);

const names = fc.constantFrom(
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
  "new_thing",
);
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
const blockTypes = fc.constantFrom("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", 7);
const deltaTypes = fc.constantFrom(
  "text_delta",
  "input_json_delta",
  "thinking_delta",
  "signature_delta",
  "x",
  null,
);
const part = (type: fc.Arbitrary<unknown>) =>
  fc.oneof(
    odd,
    fc.record(
      {
        type,
        text: odd,
        thinking: odd,
        signature: odd,
        data: odd,
        id: odd,
        name: odd,
        input: odd,
        partial_json: odd,
      },
      { requiredKeys: ["type"] },
    ),
  );
const oddEvent = fc.oneof(
  odd,
  fc.record(
    {
      type: names,
      index: fc.oneof(fc.nat(2), odd),
      content_block: part(blockTypes),
      delta: fc.oneof(part(deltaTypes), fc.record({ stop_reason: fc.oneof(fc.constant("end_turn"), odd) })),
      message: fc.oneof(odd, fc.record({ usage: odd })),
      usage: fc.oneof(odd, fc.record({ input_tokens: odd, output_tokens: odd })),
    },
    { requiredKeys: ["type"] },
  ),
);

test.prop([fc.array(oddEvent, { maxLength: 8 })], { numRuns: 150 })(
  "events of any shape end in one failure or one response",
  async (events) => {
    await terminalOf([head, ...events.map(sse)]);
  },
);

const usage = { input_tokens: 3, output_tokens: 1 };
const whole = [
  { type: "message_start", message: { usage } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Grüße 👋" } },
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id: "a", name: "t", input: {} },
  },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a":"é"}' } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const bytes = Buffer.from(head + whole.map(sse).join(""));
const content = [
  { type: "text", text: "Grüße 👋" },
  { type: "tool_use", id: "a", name: "t", input: { a: "é" } },
];

test.prop([fc.array(fc.nat(bytes.length), { maxLength: 20 })], settings)(
  "a response is the same for any chunks of its bytes",
  async (cuts) => {
    const at = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
    const pieces = at.slice(1).map((end, n) => bytes.subarray(at[n], end));
    expect(await terminalOf(pieces)).toMatchObject({
      type: "llm.finished",
      content,
      usage: { tokensOut: 9 },
    });
  },
);

test.prop([fc.nat(bytes.length - 1), fc.boolean()], settings)(
  "L4: a response that is cut at any byte before its last event is a failure",
  async (length, reset) => {
    const mark = bytes.length - sse({ type: "message_stop" }).length;
    const end = await terminalOf([bytes.subarray(0, Math.min(length, mark))], reset);
    expect(end).toMatchObject({ type: "llm.failed", failure: { retryable: true } });
  },
);
