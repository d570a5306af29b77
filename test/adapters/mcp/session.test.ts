import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { z } from "zod";
import { connected } from "../../support/mcp/servers.ts";

const never = new AbortController().signal;
const Message = z.looseObject({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string(),
  params: z.looseObject({ name: z.string().optional() }).optional(),
});

/** A server of 2025-11-25 with sessions, which forgets them as one that starts again. */
class SessionServer implements AsyncDisposable {
  readonly calls: string[] = [];
  readonly sessions: string[] = [];
  readonly #streams: ServerResponse[] = [];
  readonly #http = createServer((request, response) => void this.#route(request, response));
  #known = "";

  static async open(): Promise<SessionServer> {
    const server = new SessionServer();
    await new Promise<void>((resolve) => server.#http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/`;
  }

  /** Forget the session, and end its streams. */
  forget(): void {
    this.#known = "";
    for (const stream of this.#streams.splice(0)) stream.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = request.headers["mcp-session-id"];
    if (session !== undefined && session !== this.#known) {
      response.writeHead(404).end();
      return;
    }
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      this.#streams.push(response);
      return;
    }
    const { id, method, params } = Message.parse(await json(request));
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const send = (content: object): void => {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": this.#known });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...content }));
    };
    const tool = (name: string) => ({ name, inputSchema: { type: "object", properties: {} } });
    switch (method) {
      case "initialize":
        this.#known = randomUUID();
        this.sessions.push(this.#known);
        return send({
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "s", version: "1" },
          },
        });
      case "tools/list":
        return send({ result: { tools: [tool("add"), tool("hang")] } });
      case "tools/call": {
        const name = params?.name ?? "";
        this.calls.push(name);
        if (name === "add") send({ result: { content: [{ type: "text", text: `${this.calls.length}` }] } });
        else {
          response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
          this.forget();
        }
        return;
      }
      default:
        send({ error: { code: -32601, message: "unknown" } });
    }
  }
}

test("a call in a session that the server forgot runs once, in a new one (field report 39)", async () => {
  await using served = await SessionServer.open();
  await using server = await connected({ url: served.url });
  const add = () => server.use(never, (connection) => connection.callTool("add", {}, { signal: never }));
  await add();
  served.forget();
  expect(await add()).toEqual({ content: [{ type: "text", text: "2" }] });
  expect(await add()).toEqual({ content: [{ type: "text", text: "3" }] });
  expect(served.calls).toHaveLength(3);
  expect(served.sessions).toHaveLength(2);
});

test("a call that runs when the server forgets its session is uncertain, and is not sent again (field report 39, L12)", async () => {
  await using served = await SessionServer.open();
  await using server = await connected({ url: served.url });
  const hang = server.use(never, (connection) => connection.callTool("hang", {}, { signal: never }));
  // The stream of the session is opened again, and is not found.
  await expect(hang).rejects.toThrow("The outcome of hang is uncertain");
  const add = server.use(never, (connection) => connection.callTool("add", {}, { signal: never }));
  expect((await add).content).toHaveLength(1);
  expect(served.calls).toEqual(["hang", "add"]);
  expect(served.sessions).toHaveLength(2);
});
