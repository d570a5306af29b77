import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { fileJournal, type JournalTail, readJournal } from "../../store/index.ts";

const blockSchema = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
});
const responseSchema = z.looseObject({
  content: z.array(blockSchema),
  stop_reason: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
});
const requestSchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});

/** A whole response of the Messages API. */
export type BridgedResponse = z.output<typeof responseSchema>;
type Message = z.output<typeof requestSchema>["messages"][number];

/** How a bridge answers a request for a stream: event by event, all events in one write, or one message without a stream. */
export const DELIVERIES = ["event by event", "all events at once", "one message"] as const;
export type Delivery = (typeof DELIVERIES)[number];

export interface BridgeOptions {
  /** The base URL of the endpoint behind the bridge. */
  readonly endpoint: string;
  readonly delivery: Delivery;
  /** Judges a whole response before the agent gets it. One that it rejects is generated again. */
  readonly rejects: (response: BridgedResponse) => boolean;
}

/** A running bridge. It ends with the test. */
export interface Bridge {
  readonly url: string;
  /** The responses that the agent got. */
  readonly seen: readonly BridgedResponse[];
  /** The responses that the agent never got. */
  readonly rejected: readonly BridgedResponse[];
}

/** The tokens that the bridge allows, whatever the agent asks for. */
export const OWN_MAX_TOKENS = 777;
/** The settings of a request that the bridge drops. */
const DROPPED = ["max_tokens", "temperature", "top_p", "thinking", "output_config"];
const JSON_CHUNK = 20;

/**
 * Starts a bridge, which an evaluation framework puts between an agent and a model. It has its own settings, and judges each
 * response. A rejected turn is generated again: the model sees the rejection, and the agent does not.
 */
export async function openBridge(options: BridgeOptions): Promise<Bridge> {
  const bridge = new ModelBridge(options);
  const server = createServer((request, response) => {
    bridge.handle(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen: bridge.seen, rejected: bridge.rejected };
}

class ModelBridge {
  readonly seen: BridgedResponse[] = [];
  readonly rejected: BridgedResponse[] = [];
  /** The rejected turns and their rejections, by the number of responses that the agent has before them. */
  readonly #hidden = new Map<number, readonly Message[]>();
  readonly #options: BridgeOptions;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== "/v1/messages") {
      response.writeHead(404).end();
      return;
    }
    const key = request.headers["x-api-key"];
    const headers = {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-api-key": String(key),
    };
    await this.#answer(requestSchema.parse(JSON.parse(await text(request))), headers, response);
  }

  async #answer(
    request: z.output<typeof requestSchema>,
    headers: Readonly<Record<string, string>>,
    response: ServerResponse,
  ): Promise<void> {
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    for (;;) {
      const body = JSON.stringify(rewritten(request, this.#withHidden(request.messages)));
      const generated = await fetch(`${this.#options.endpoint}/v1/messages`, {
        method: "POST",
        headers,
        body,
      });
      if (!generated.ok) {
        response.writeHead(generated.status, { "content-type": "application/json" });
        response.end(await generated.text());
        return;
      }
      const whole = responseSchema.parse(await generated.json());
      if (!this.#options.rejects(whole)) {
        this.seen.push(whole);
        deliver(whole, this.#options.delivery, response);
        return;
      }
      this.rejected.push(whole);
      this.#hidden.set(turn, [...(this.#hidden.get(turn) ?? []), ...rejectionOf(whole)]);
    }
  }

  /** The conversation as the model knows it: with the rejected turns. */
  #withHidden(messages: readonly Message[]): readonly Message[] {
    let turn = 0;
    const known = messages.flatMap((message) => {
      if (message.role !== "assistant") return [message];
      turn += 1;
      return [...(this.#hidden.get(turn - 1) ?? []), message];
    });
    return [...known, ...(this.#hidden.get(turn) ?? [])];
  }
}

/** The ids of the calls in complete responses that run something. */
export const callsIn = (responses: readonly BridgedResponse[]): readonly string[] =>
  responses.flatMap(({ content, stop_reason }) =>
    content.flatMap(({ type, id = "", name }) =>
      type === "tool_use" && name !== "attempt_completion" && stop_reason !== "max_tokens" ? [id] : [],
    ),
  );

/** The ids of the calls that started, by the journal in a folder of a task. */
export async function startedCallsIn(dir: string): Promise<readonly string[]> {
  const ids: string[] = [];
  const onTail = ({ reason }: JournalTail): never => {
    throw new Error(`Expected a whole journal, got one whose end can't be read: ${reason}`);
  };
  for await (const record of readJournal(fileJournal({ dir }), { onTail })) {
    if (record.kind !== "commit") continue;
    for (const { type, effect, id } of record.effects)
      if (type === "effect.started" && effect === "tool") ids.push(id.slice(id.indexOf("/") + 1));
  }
  return ids;
}

/** The request with the settings of the bridge. */
function rewritten(request: object, messages: readonly Message[]): object {
  const kept = Object.entries(request).filter(([name]) => !DROPPED.includes(name));
  return { ...Object.fromEntries(kept), messages, max_tokens: OWN_MAX_TOKENS, stream: false };
}

/** A rejected response, and the rejection of its calls. */
function rejectionOf({ content }: BridgedResponse): readonly Message[] {
  const rejection = { type: "text", text: "The evaluation rejected this. Do something else." };
  const results = content.flatMap(({ type, id }) =>
    type === "tool_use"
      ? [{ type: "tool_result", tool_use_id: id, content: "It was rejected.", is_error: true }]
      : [],
  );
  return [
    { role: "assistant", content },
    { role: "user", content: [...results, rejection] },
  ];
}

function deliver(whole: BridgedResponse, delivery: Delivery, response: ServerResponse): void {
  if (delivery === "one message") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const events = eventsOf(whole).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  if (delivery === "event by event") for (const event of events) response.write(event);
  response.end(delivery === "event by event" ? undefined : events.join(""));
}

type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The events of a stream that has the response. */
function eventsOf(whole: BridgedResponse): readonly StreamEvent[] {
  const { content, stop_reason, usage, ...message } = whole;
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: startOf(block) },
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: usage.output_tokens } },
    { type: "message_stop" },
  ];
}

type Block = BridgedResponse["content"][number];

function startOf(block: Block): object {
  if (block.type === "tool_use") return { ...block, input: {} };
  return block.type === "text" ? { ...block, text: "" } : block;
}

function deltasOf(block: Block): readonly object[] {
  if (block.type === "text") return [{ type: "text_delta", text: block.text }];
  if (block.type !== "tool_use") return [];
  const json = JSON.stringify(block.input);
  const count = Math.ceil(json.length / JSON_CHUNK);
  return Array.from({ length: count }, (_, at) => ({
    type: "input_json_delta",
    partial_json: json.slice(at * JSON_CHUNK, (at + 1) * JSON_CHUNK),
  }));
}
