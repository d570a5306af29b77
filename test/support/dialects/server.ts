import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChatModel } from "../../../ports/model.ts";
import type { EndpointReply, ModelUnderTest, OpenedModel } from "../../../testing/index.ts";
import { deferred } from "../model.ts";

type Response = Extract<EndpointReply, { blocks: unknown }>;

/** What an endpoint adds to its thinking, such as its signature. It must come back. */
export const THOUGHT = "a-signature-of-thinking";

/** How an endpoint speaks: the frames of a response, and the body of an error. */
export interface Dialect {
  /** Server-sent events in order; the last ones end the response and are left out of one that is cut. */
  frames(reply: Response): { readonly blocks: readonly object[]; readonly end: readonly (object | string)[] };
  error(status: number, problem: "too long" | "other"): object;
}

/** A model that speaks a dialect, over HTTP. */
export function overHttp(
  dialect: Dialect,
  modelAt: (url: string) => ChatModel,
  can: Omit<ModelUnderTest, "open">,
): ModelUnderTest {
  const open = async (replies: readonly EndpointReply[]): Promise<OpenedModel> => {
    const { url, requests, disconnected, close } = await openEndpoint(dialect, replies);
    return { model: modelAt(url), bodies: () => requests.map(({ body }) => body), disconnected, close };
  };
  return { ...can, open };
}

/** An HTTP server that gives the replies in order. */
export interface Endpoint {
  readonly url: string;
  readonly requests: readonly { readonly body: string; readonly headers: IncomingHttpHeaders }[];
  readonly disconnected: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openEndpoint(dialect: Dialect, replies: readonly EndpointReply[]): Promise<Endpoint> {
  const requests: { body: string; headers: IncomingHttpHeaders }[] = [];
  const gone = deferred();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const reply = replies[requests.push({ body, headers: request.headers }) - 1];
      if (reply === undefined) response.writeHead(500).end();
      else answer(dialect, reply, response);
    });
    response.on("close", () => gone.resolve());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    disconnected: () => gone.promise,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(dialect: Dialect, reply: EndpointReply, response: ServerResponse): void {
  if ("status" in reply) {
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify(dialect.error(reply.status, reply.problem)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const { blocks, end } = dialect.frames(reply);
  for (const frame of blocks) response.write(eventOf(frame));
  if (reply.end === "silence") return;
  if (reply.end !== "cut") for (const frame of end) response.write(eventOf(frame));
  response.end();
}

function eventOf(frame: object | string): string {
  if (typeof frame === "string") return `data: ${frame}\n\n`;
  const name = "type" in frame ? `event: ${String(frame.type)}\n` : "";
  return `${name}data: ${JSON.stringify(frame)}\n\n`;
}
