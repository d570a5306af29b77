import { fc } from "@fast-check/vitest";

/** What a server says before the events of a stream. */
export const head = Buffer.from(
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
);

type Event = { readonly type: string } & Readonly<Record<string, unknown>>;

const opening: readonly Event[] = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
];
const closing: readonly Event[] = [
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 9 },
  },
  { type: "message_stop" },
];

const block = (index: number, content_block: object, ...deltas: object[]): readonly Event[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];

const tool = (index: number, name: string, input: object): readonly Event[] => {
  const json = JSON.stringify(input);
  const half = Math.ceil(json.length / 2);
  return block(
    index,
    { type: "tool_use", id: `toolu_${index}`, name, input: {} },
    { type: "input_json_delta", partial_json: json.slice(0, half) },
    { type: "input_json_delta", partial_json: json.slice(half) },
  );
};

const textOf = (events: readonly Event[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** A whole stream with one call. */
export const stream = (name: string, input: object): string =>
  textOf([...opening, ...tool(0, name, input), ...closing]);

const good: readonly Event[] = [
  ...opening,
  { type: "ping" },
  ...block(
    0,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "Let me see." },
    { type: "signature_delta", signature: "c2lnbmF0dXJl" },
  ),
  ...block(
    1,
    { type: "text", text: "" },
    { type: "text_delta", text: "I write " },
    { type: "text_delta", text: "a file." },
  ),
  ...tool(2, "write_to_file", { path: "a.txt", content: "hello\n" }),
  ...tool(3, "read_file", { path: "a.txt" }),
  ...closing,
];

type Mutation =
  | { readonly kind: "drop" | "double"; readonly event: number }
  | { readonly kind: "swap"; readonly event: number; readonly with: number }
  | { readonly kind: "cut"; readonly at: number }
  | { readonly kind: "flip"; readonly at: number; readonly bit: number }
  | { readonly kind: "insert"; readonly at: number; readonly bytes: Uint8Array };

const event = fc.nat(good.length - 1);
const at = fc.nat(textOf(good).length - 1);

/** One thing that a broken server or connection may do to a stream. */
export const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constantFrom("drop" as const, "double" as const), event }),
  fc.record({ kind: fc.constant("swap" as const), event, with: event }),
  fc.record({ kind: fc.constant("cut" as const), at }),
  fc.record({ kind: fc.constant("flip" as const), at, bit: fc.nat(7) }),
  fc.record({
    kind: fc.constant("insert" as const),
    at,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
  }),
);

/** A good stream after these changes: of its events first, of its bytes after. */
export function mutate(changes: readonly Mutation[]): Buffer {
  const events = changes.reduce(ofEvents, good);
  return Buffer.concat([head, changes.reduce(ofBytes, Buffer.from(textOf(events)))]);
}

function ofEvents(events: readonly Event[], change: Mutation): readonly Event[] {
  if (change.kind !== "drop" && change.kind !== "double" && change.kind !== "swap") return events;
  const place = change.event % events.length;
  if (change.kind === "drop") return events.toSpliced(place, 1);
  if (change.kind === "double") return events.toSpliced(place, 0, ...events.slice(place, place + 1));
  if (change.kind !== "swap") return events;
  const other = change.with % events.length;
  const [first, second] = [events[place], events[other]];
  if (first === undefined || second === undefined) return events;
  return events.with(place, second).with(other, first);
}

function ofBytes(body: Buffer, change: Mutation): Buffer {
  if (change.kind === "cut") return body.subarray(0, change.at);
  if (change.kind === "insert")
    return Buffer.concat([body.subarray(0, change.at), change.bytes, body.subarray(change.at)]);
  if (change.kind !== "flip" || change.at >= body.length) return body;
  const flipped = Buffer.from(body);
  flipped.writeUInt8(body.readUInt8(change.at) ^ (1 << change.bit), change.at);
  return flipped;
}
