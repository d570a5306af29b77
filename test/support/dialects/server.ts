import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChatModel } from "../../../actors/index.ts";
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
  model: (url: string) => ChatModel,
  can: Omit<ModelUnderTest, "open">,
): ModelUnderTest {
  return { ...can, open: (replies) => open(dialect, model, replies) };
}

async function open(
  dialect: Dialect,
  modelAt: (url: string) => ChatModel,
  replies: readonly EndpointReply[],
): Promise<OpenedModel> {
  const bodies: string[] = [];
  const gone = deferred();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const reply = replies[bodies.push(Buffer.concat(chunks).toString()) - 1];
      if (reply === undefined) response.writeHead(500).end();
      else answer(dialect, reply, response);
    });
    response.on("close", () => gone.resolve());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    model: modelAt(`http://127.0.0.1:${port}`),
    bodies: () => bodies,
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
