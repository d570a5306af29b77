import Anthropic from "@anthropic-ai/sdk";
import type { MessageParam, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import type { MockOptions } from "../../../testing/mock/server/record.ts";
import { type MockServer, startMock } from "../../../testing/mock/server/server.ts";

export interface Mock {
  readonly server: MockServer;
  readonly client: Anthropic;
  /** The events of one streamed request, and the error of a failure. */
  events(messages: readonly MessageParam[], userId?: string): Promise<Received>;
  /** Send any body. */
  post(body: unknown, init?: RequestInit & { path?: string }): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Received {
  readonly events: readonly RawMessageStreamEvent[];
  readonly error: unknown;
}

export const user = (content: MessageParam["content"]): MessageParam => ({ role: "user", content });
export const assistant = (content: MessageParam["content"]): MessageParam => ({ role: "assistant", content });
export const hello = [user("hello")];

/** Start a mock server with a script, and an SDK client for it. */
export async function mockWith(script: string, options?: MockOptions): Promise<Mock> {
  const server = await startMock(parseScript(script), options);
  const client = new Anthropic({ baseURL: server.url, apiKey: "any", maxRetries: 0 });
  return {
    server,
    client,
    async events(messages, userId) {
      const events: RawMessageStreamEvent[] = [];
      try {
        const stream = await client.messages.create({
          model: "a-model",
          max_tokens: 100,
          stream: true,
          messages: [...messages],
          ...(userId === undefined ? {} : { metadata: { user_id: userId } }),
        });
        for await (const event of stream) events.push(event);
        return { events, error: undefined };
      } catch (error) {
        return { events, error };
      }
    },
    post: (body, { path = "/v1/messages", ...init } = {}) =>
      fetch(server.url + path, {
        method: "POST",
        headers: { "x-api-key": "any" },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...init,
      }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The deltas of text, thinking or JSON. */
export function deltas({ events }: Pick<Received, "events">): string[] {
  return events.flatMap((event) => {
    if (event.type !== "content_block_delta") return [];
    const { delta } = event;
    if (delta.type === "text_delta") return [delta.text];
    if (delta.type === "thinking_delta") return [delta.thinking];
    return delta.type === "input_json_delta" ? [delta.partial_json] : [];
  });
}

export const textOf = (received: Pick<Received, "events">) => deltas(received).join("");
export const types = ({ events }: Pick<Received, "events">) => events.map(({ type }) => type);
